// reshape(R(x)) = R(reshape(x)), R all-reduce or reduce-scatter.
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

std::string scattered(const std::string& from, const std::string& shard, int dim,
                      const std::string& to) {
  return program("x = f32" + from + " parameter(0)\ns = f32" + shard +
                 " reduce-scatter(x), to_apply=add_f32, dimensions={" + std::to_string(dim) + "}" +
                 kOverAll + "\nROOT r = f32" + to + " reshape(s)\n");
}

std::string scatter_of(const std::string& from, const std::string& to, int dim,
                       const std::string& result) {
  return program("x = f32" + from + " parameter(0)\nm = f32" + to + " reshape(x)\nROOT r = f32" +
                 result + " reduce-scatter(m), to_apply=add_f32, dimensions={" +
                 std::to_string(dim) + "}" + kOverAll + "\n");
}

TEST_CASE("reduce-reshape: an all-reduce passes any reshape, both ways") {
  Saturated in(program("x = f32[6,4] parameter(0)\n"
                       "s = f32[6,4] all-reduce(x), to_apply=add_f32" +
                       kOverAll + "\nROOT r = f32[8,3] reshape(s)\n"),
               only({"reduce-reshape"}));
  in.check_form("r", "f32[8,3] all-reduce(reshape(x))");
  in.check_form("s", "f32[6,4] reshape(all-reduce(reshape(x)))");
  Saturated out(program("x = f32[6,4] parameter(0)\n"
                        "m = f32[8,3] reshape(x)\n"
                        "ROOT r = f32[8,3] all-reduce(m), to_apply=add_f32" +
                        kOverAll + "\n"),
                only({"reduce-reshape"}));
  out.check_form("r", "reshape(f32[6,4] all-reduce(x))");
}

TEST_CASE("reduce-reshape: several reshapes of one sum come to an end") {
  Saturated run(program("x = f32[6,4] parameter(0)\n"
                        "s = f32[6,4] all-reduce(x), to_apply=add_f32" +
                        kOverAll +
                        "\n"
                        "a = f32[24] reshape(s)\n"
                        "b = f32[2,12] reshape(a)\n"
                        "c = f32[8,3] reshape(s)\n"
                        "ROOT t = tuple(a, b, c)\n"),
                only({"reduce-reshape"}));
  CHECK(run.holds("s", "reshape(c)"));
  CHECK(run.holds("c", "f32[8,3] all-reduce(reshape(x))"));
}

TEST_CASE("reduce-reshape: a scattered dim keeps what stands before it") {
  Saturated in(scattered("[5,8,6]", "[5,2,6]", 1, "[5,4,3]"), only({"reduce-reshape"}));
  CHECK(in.holds("r", "reduce-scatter{1}(f32[5,16,3] reshape(x))"));
  in.check_form("r", "reduce-scatter{1}(reshape(x))");
  in.check_form("s", "reshape(reduce-scatter{1}(f32[5,16,3] reshape(x)))");
  Saturated several(scattered("[8,6]", "[2,6]", 0, "[1,2,6]"), only({"reduce-reshape"}));
  several.check_form("r", "reduce-scatter{0}(f32[4,2,6] reshape(x))");
  several.check_form("r", "reduce-scatter{1}(f32[1,8,6] reshape(x))");
  Saturated mixed(scattered("[5,8,6]", "[5,2,6]", 1, "[10,6]"), only({"reduce-reshape"}));
  CHECK(mixed.refusal("reduce-reshape/forward/reduce-scatter") ==
        "no dim after the reshape holds the same blocks");
}

TEST_CASE("reduce-reshape: going out, the group size divides the dim before the reshape") {
  Saturated out(scatter_of("[5,48]", "[5,8,6]", 1, "[5,2,6]"), only({"reduce-reshape"}));
  out.check_form("r", "reshape(f32[5,12] reduce-scatter{1}(x))");
  Saturated mixed(scatter_of("[2,6]", "[12]", 0, "[3]"), only({"reduce-reshape"}));
  CHECK(mixed.refusal("reduce-reshape/backward/reduce-scatter") ==
        "the reshape mixes the scattered blocks");
}

}  // namespace
}  // namespace flipsat::rules::testing
