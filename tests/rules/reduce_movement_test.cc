// f(R(x), u) = R(f(x, u)) for each f that moves data, R all-reduce or reduce-scatter.
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const std::string kAllReduce = "f32[8,6] all-reduce(x), to_apply=add_f32" + kOverAll + "\n";
const std::string kScatter =
    "f32[2,6] reduce-scatter(x), to_apply=add_f32, dimensions={0}" + kOverAll + "\n";

// r = `movement` of s, a reduction of x = f32[8,6].
std::string of(const std::string& reduction, const std::string& movement,
               const std::string& before = "") {
  return program("x = f32[8,6] parameter(0)\n" + before + "s = " + reduction +
                 "ROOT r = " + movement + "\n");
}

// r = the all-reduce of m, which is `movement` of x = f32[8,6]; w is that of x.
std::string all_reduce_of(const std::string& movement, const std::string& shape,
                          const std::string& before = "", bool with_whole = false) {
  return program("x = f32[8,6] parameter(0)\n" + before + "m = " + shape + " " + movement +
                 "\nr = " + shape + " all-reduce(m), to_apply=add_f32" + kOverAll + "\n" +
                 (with_whole ? "w = " + kAllReduce : "") + "ROOT t = tuple(r" +
                 (with_whole ? ", w" : "") + ")\n");
}

TEST_CASE("reduce-transpose: both ways, and for who else reads the sum") {
  Saturated in(of(kAllReduce, "f32[6,8] transpose(s), dimensions={1,0}"),
               only({"reduce-transpose"}));
  CHECK(in.holds("r", "f32[6,8] all-reduce(transpose{1,0}(x))"));
  CHECK(in.holds("s", "transpose{1,0}(all-reduce(transpose{1,0}(x)))"));
  in.check_form("r", "all-reduce(transpose{1,0}(x))");
  in.check_form("s", "transpose{1,0}(all-reduce(transpose{1,0}(x)))");
  Saturated out(all_reduce_of("transpose(x), dimensions={1,0}", "f32[6,8]"),
                only({"reduce-transpose"}));
  out.check_form("r", "transpose{1,0}(all-reduce(x))");
}

TEST_CASE("reduce-slice: any dim of an all-reduce, the others of a reduce-scatter") {
  Saturated all(of(kAllReduce, "f32[3,2] slice(s), slice={[1:4],[1:5:2]}"), only({"reduce-slice"}));
  all.check_form("r", "f32[3,2] all-reduce(slice{1,4,1,1,5,2}(x))");
  Saturated scatter(of(kScatter, "f32[2,2] slice(s), slice={[0:2],[1:5:2]}"),
                    only({"reduce-slice"}));
  scatter.check_form("r", "reduce-scatter{0}(f32[8,2] slice{0,8,1,1,5,2}(x))");
  Saturated own(of(kScatter, "f32[1,6] slice(s), slice={[1:2],[0:6]}"), only({"reduce-slice"}));
  CHECK(own.refusal("reduce-slice/forward/reduce-scatter") == "the scattered dim is cut");
}

TEST_CASE("reduce-slice: going back where the whole is reduced as well") {
  const std::string slice = "slice(x), slice={[0:8],[3:6]}";
  Saturated run(all_reduce_of(slice, "f32[8,3]", "", true), only({"reduce-slice"}));
  run.check_form("r", "slice{0,8,1,3,6,1}(w)");
  Saturated alone(all_reduce_of(slice, "f32[8,3]"), only({"reduce-slice"}));
  CHECK(alone.refusal("reduce-slice/backward/all-reduce") == "the whole is not collected alike");
}

const std::string kIndices =
    "i = s32[] parameter(1), sharding={replicated}\n"
    "j = s32[] parameter(2)\n"
    "k = s32[] constant(0)\n";

TEST_CASE("reduce-dynamic-slice: at a start that all members have") {
  Saturated all(
      of(kAllReduce, "f32[8,3] dynamic-slice(s, j, i), dynamic_slice_sizes={8,3}", kIndices),
      only({"reduce-dynamic-slice"}));
  all.check_form("r", "all-reduce(f32[8,3] dynamic-slice{8,3}(x, j, i))");
  Saturated scatter(
      of(kScatter, "f32[2,3] dynamic-slice(s, k, i), dynamic_slice_sizes={2,3}", kIndices),
      only({"reduce-dynamic-slice"}));
  scatter.check_form("r", "reduce-scatter{0}(f32[8,3] dynamic-slice{8,3}(x, k, i))");
  Saturated own(
      of(kAllReduce, "f32[8,3] dynamic-slice(s, k, j), dynamic_slice_sizes={8,3}", kIndices),
      only({"reduce-dynamic-slice"}));
  CHECK(own.refusal("reduce-dynamic-slice/forward/all-reduce/rank2") ==
        "a start index differs inside a group");
}

TEST_CASE("reduce-dynamic-slice: going back where the whole is reduced as well") {
  Saturated run(all_reduce_of("dynamic-slice(x, k, i), dynamic_slice_sizes={8,3}", "f32[8,3]",
                              kIndices, true),
                only({"reduce-dynamic-slice"}));
  run.check_form("r", "dynamic-slice{8,3}(w, k, i)");
}

TEST_CASE("reduce-broadcast: both ways") {
  Saturated in(of(kScatter, "f32[6,3,2] broadcast(s), dimensions={2,0}"),
               only({"reduce-broadcast"}));
  in.check_form("r", "reduce-scatter{2}(f32[6,3,8] broadcast{2,0}(x))");
  Saturated out(all_reduce_of("broadcast(x), dimensions={1,2}", "f32[3,8,6]"),
                only({"reduce-broadcast"}));
  out.check_form("r", "broadcast{1,2}(all-reduce(x))");
}

TEST_CASE("reduce-reverse: both ways") {
  Saturated in(of(kAllReduce, "f32[8,6] reverse(s), dimensions={0,1}"), only({"reduce-reverse"}));
  in.check_form("r", "all-reduce(reverse{0,1}(x))");
  in.check_form("s", "reverse{0,1}(all-reduce(reverse{0,1}(x)))");
  Saturated out(all_reduce_of("reverse(x), dimensions={1}", "f32[8,6]"), only({"reduce-reverse"}));
  out.check_form("r", "reverse{1}(all-reduce(x))");
  Saturated own(of(kScatter, "f32[2,6] reverse(s), dimensions={0}"), only({"reduce-reverse"}));
  CHECK(own.refusal("reduce-reverse/forward/reduce-scatter") ==
        "the scattered dim is not left whole");
}

TEST_CASE("reduce-pad: a sum is padded with zero, which is summed to zero") {
  const std::string zero = "z = f32[] constant(0)\n";
  Saturated in(of(kAllReduce, "f32[9,8] pad(s, z), padding=1_0x0_2", zero), only({"reduce-pad"}));
  in.check_form("r", "all-reduce(f32[9,8] pad{1,0,0,0,2,0}(x, z))");
  Saturated out(all_reduce_of("pad(x, z), padding=1_0x0_2", "f32[9,8]", zero),
                only({"reduce-pad"}));
  out.check_form("r", "pad{1,0,0,0,2,0}(all-reduce(x), z)");
  for (const char* other : {"z = f32[] constant(1)\n", "z = f32[] constant(-0)\n"}) {
    Saturated run(of(kAllReduce, "f32[9,8] pad(s, z), padding=1_0x0_2", other),
                  only({"reduce-pad"}));
    CHECK(run.refusal("reduce-pad/forward/all-reduce") ==
          "a scalar operand would be reduced with itself");
  }
}

TEST_CASE("reduce-pad: a maximum is padded with anything that all members have") {
  const std::string maximum = "f32[8,6] all-reduce(x), to_apply=maximum_f32" + kOverAll + "\n";
  Saturated run(of(maximum, "f32[9,8] pad(s, u), padding=1_0x0_2",
                   "u = f32[] parameter(1), sharding={replicated}\n"),
                only({"reduce-pad"}));
  run.check_form("r", "all-reduce(pad{1,0,0,0,2,0}(x, u))");
  Saturated own(of(maximum, "f32[9,8] pad(s, u), padding=1_0x0_2", "u = f32[] parameter(1)\n"),
                only({"reduce-pad"}));
  CHECK(own.refusal("reduce-pad/forward/all-reduce") == "a scalar operand differs in a group");
}

std::string twice_reduced(const std::string& type, const std::string& outer,
                          const std::string& inner, const std::string& init) {
  return program("x = " + type + "[8,6] parameter(0)\nv = " + type + "[] constant(" + init +
                 ")\ns = " + type + "[8,6] all-reduce(x), to_apply=" + inner + "_" + type +
                 kOverAll + "\nROOT r = " + type +
                 "[8] reduce(s, v), dimensions={1}, to_apply=" + outer + "_" + type + "\n");
}

TEST_CASE("reduce-reduce-dims: a reduce by the same operation comes first") {
  Saturated sum(twice_reduced("s32", "add", "add", "0"), only({"reduce-reduce-dims"}));
  sum.check_form("r", "all-reduce(s32[8] reduce{1}(x, v))");
  Saturated least(twice_reduced("f32", "minimum", "minimum", "7"), only({"reduce-reduce-dims"}));
  least.check_form("r", "all-reduce(reduce{1}(x, v))");
  Saturated product(twice_reduced("s32", "multiply", "multiply", "1"),
                    only({"reduce-reduce-dims"}));
  product.check_form("r", "all-reduce(reduce{1}(x, v))");
}

TEST_CASE("reduce-reduce-dims: refused by another operation, initial value or class") {
  const std::string rule = "reduce-reduce-dims/forward/all-reduce";
  CHECK(Saturated(twice_reduced("s32", "maximum", "add", "0"), only({"reduce-reduce-dims"}))
            .refusal(rule) == "the reduce is not by the same operation");
  CHECK(Saturated(twice_reduced("s32", "add", "add", "1"), only({"reduce-reduce-dims"}))
            .refusal(rule) == "a scalar operand would be reduced with itself");
  const std::string floats = twice_reduced("f32", "add", "add", "0");
  CHECK(Saturated(floats, only({"reduce-reduce-dims"})).refusal(rule) ==
        "a float sum is made in another order (--numerics reassoc)");
  Saturated loose(floats, only({"reduce-reduce-dims"}, hlo::Numerics::kReassoc));
  CHECK(loose.holds("r", "all-reduce(reduce{1}(x, v))"));
}

TEST_CASE("reduce-reduce-dims: a sum that was made wider is not regrouped as well") {
  Saturated run(program("x = bf16[8,6] parameter(0)\n"
                        "v = f32[] constant(0)\n"
                        "s = bf16[8,6] all-reduce(x), to_apply=add_bf16" +
                        kOverAll +
                        "\n"
                        "c = f32[8,6] convert(s)\n"
                        "ROOT r = f32[8] reduce(c, v), dimensions={1}, to_apply=add_f32\n"),
                only({"reduce-reduce-dims", "reduce-convert"}, hlo::Numerics::kReassoc));
  CHECK(run.refines_to("r", "reduce{1}(all-reduce(convert(x)), v)"));
  CHECK_FALSE(run.refines_to("r", "all-reduce(_)"));
  CHECK(run.refused("reduce-reduce-dims").count("a sum made wider is not regrouped as well") == 1);
}

const std::string kOther =
    "y = f32[8,6] negate(x)\n"
    "q = f32[8,6] all-reduce(y), to_apply=add_f32" +
    kOverAll + "\nz = f32[] constant(0)\nn = f32[8,6] broadcast(z), dimensions={}\n";

TEST_CASE("reduce-concatenate: sums alike are joined before they are made, zeros join them") {
  Saturated run(of(kAllReduce, "f32[24,6] concatenate(s, q, n), dimensions={0}", kOther),
                only({"reduce-concatenate"}));
  run.check_form("r", "all-reduce(f32[24,6] concatenate{0}(x, y, n))");
  Saturated scatter(of(kScatter, "f32[2,12] concatenate(s, o), dimensions={1}",
                       "z = f32[] constant(0)\no = f32[2,6] broadcast(z), dimensions={}\n"),
                    only({"reduce-concatenate"}));
  scatter.check_form("r", "reduce-scatter{0}(f32[8,12] concatenate{1}(x, f32[8,6] broadcast(z)))");
}

TEST_CASE("reduce-concatenate: refused beside what a sum would not leave as it is") {
  Saturated run(of(kAllReduce, "f32[16,6] concatenate(s, o), dimensions={0}",
                   "z = f32[] constant(1)\no = f32[8,6] broadcast(z), dimensions={}\n"),
                only({"reduce-concatenate"}));
  CHECK(run.refusal("reduce-concatenate/forward") ==
        "an operand is neither collected alike nor the same before and after");
}

TEST_CASE("reduce-concatenate: going back, zeros are not summed") {
  Saturated run(all_reduce_of("concatenate(x, n), dimensions={0}", "f32[16,6]", kOther),
                only({"reduce-concatenate"}));
  run.check_form("r", "concatenate{0}(f32[8,6] all-reduce(x), n)");
}

TEST_CASE("reduce-dynamic-update-slice: both ways, at a start that all members have") {
  const std::string update =
      "u = f32[8,2] slice(x), slice={[0:8],[0:2]}\nv = f32[8,2] all-reduce(u), to_apply=add_f32" +
      kOverAll + "\n";
  Saturated in(of(kAllReduce, "f32[8,6] dynamic-update-slice(s, v, k, i)", kIndices + update),
               only({"reduce-dynamic-update-slice"}));
  in.check_form("r", "all-reduce(dynamic-update-slice(x, u, k, i))");
  Saturated out(
      all_reduce_of("dynamic-update-slice(n, u, k, i)", "f32[8,6]", kIndices + kOther + update),
      only({"reduce-dynamic-update-slice"}));
  out.check_form("r", "dynamic-update-slice(n, v, k, i)");
  Saturated own(of(kAllReduce, "f32[8,6] dynamic-update-slice(s, v, k, j)", kIndices + update),
                only({"reduce-dynamic-update-slice"}));
  CHECK(own.refusal("reduce-dynamic-update-slice/forward") ==
        "a start index differs inside a group");
}

TEST_CASE("reduce-select: by a predicate that all members have") {
  const std::string predicate = "p = pred[] parameter(1), sharding={replicated}\n";
  Saturated run(of(kAllReduce, "f32[8,6] select(p, s, q)", predicate + kOther),
                only({"reduce-select"}));
  run.check_form("r", "all-reduce(select(p, x, y))");
  Saturated zero(of(kAllReduce, "f32[8,6] select(p, s, n)", predicate + kOther),
                 only({"reduce-select"}));
  zero.check_form("r", "all-reduce(select(p, x, n))");
  Saturated own(of(kAllReduce, "f32[8,6] select(p, s, q)", "p = pred[] parameter(1)\n" + kOther),
                only({"reduce-select"}));
  CHECK(own.refusal("reduce-select/forward") == "the predicate differs inside a group");
  Saturated scatter(of(kScatter, "f32[2,6] select(p, s, s)",
                       "p = pred[2,6] parameter(1), sharding={replicated}\n"),
                    only({"reduce-select"}));
  CHECK(scatter.refusal("reduce-select/forward") == "the predicate differs along the array");
  Saturated clamp(of(kAllReduce, "f32[8,6] clamp(n, s, n)", kOther), only({"reduce-select"}));
  CHECK(clamp.refusal("reduce-select/forward") == "a clamp is no movement");
}

TEST_CASE("reduce-select: going back where one side is reduced as well") {
  Saturated run(all_reduce_of("select(p, x, y)", "f32[8,6]",
                              "p = pred[] parameter(1), sharding={replicated}\n" + kOther, true),
                only({"reduce-select"}));
  run.check_form("r", "select(p, w, q)");
  Saturated alone(all_reduce_of("select(p, x, n)", "f32[8,6]",
                                "p = pred[] parameter(1), sharding={replicated}\n" + kOther),
                  only({"reduce-select"}));
  CHECK(alone.refusal("reduce-select/backward/all-reduce") ==
        "no operand gains by being collected alone");
}

}  // namespace
}  // namespace flipsat::rules::testing
