// transpose_p(RS_d(x)) = RS_o(transpose_p(x)), o = p^-1(d)
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

TEST_CASE("scatter-transpose: the scattered dim goes where the transpose puts it") {
  // Result dim 0 is operand dim 2, so what was scattered along 2 is scattered along 0.
  Saturated run(program("x = f32[3,2,8] parameter(0)\n"
                        "s = f32[3,2,2] reduce-scatter(x), to_apply=add_f32, dimensions={2}" +
                        kOverAll +
                        "\n"
                        "ROOT r = f32[2,3,2] transpose(s), dimensions={2,0,1}\n"),
                only({"scatter-transpose"}));
  CHECK(run.holds("r", "reduce-scatter{0}(f32[8,3,2] transpose{2,0,1}(x))"));
  CHECK_FALSE(run.holds("r", "reduce-scatter{1}(_)"));
  CHECK_FALSE(run.holds("r", "reduce-scatter{2}(_)"));
  run.check_form("r", "reduce-scatter{0}(transpose{2,0,1}(x))");
}

TEST_CASE("scatter-transpose: going back, the dim is the one that the transpose took it from") {
  Saturated run(program("x = s32[3,2,8] parameter(0)\n"
                        "t = s32[8,3,2] transpose(x), dimensions={2,0,1}\n"
                        "ROOT r = s32[2,3,2] reduce-scatter(t), to_apply=maximum_s32, "
                        "dimensions={0}" +
                        kOverAll + "\n"),
                only({"scatter-transpose"}));
  CHECK(run.holds("r", "transpose{2,0,1}(s32[3,2,2] reduce-scatter{2}(x))"));
  CHECK_FALSE(run.holds("r", "transpose{2,0,1}(reduce-scatter{0}(x))"));
  CHECK_FALSE(run.holds("r", "transpose{2,0,1}(reduce-scatter{1}(x))"));
  run.check_form("r", "transpose{2,0,1}(reduce-scatter{2}(x))");
}

TEST_CASE("scatter-transpose: members keep their order, groups of any order") {
  Saturated run(program("x = f32[8,3] parameter(0)\n"
                        "s = f32[4,3] reduce-scatter(x), to_apply=add_f32, dimensions={0}" +
                        in_groups("{{3,1},{0,2}}") +
                        "\n"
                        "ROOT r = f32[3,4] transpose(s), dimensions={1,0}\n"),
                only({"scatter-transpose"}));
  CHECK(run.groups("r", "reduce-scatter{1}(_)") == "{{0,2},{3,1}}");
  run.check_form("r", "reduce-scatter{1}(transpose{1,0}(x))");
}

TEST_CASE("scatter-transpose: of several scatters in one, each is passed by itself") {
  Saturated run(program("x = f32[8,3] parameter(0)\n"
                        "y = f32[8,3] parameter(1)\n"
                        "s = (f32[2,3], f32[2,3]) reduce-scatter(x, y), to_apply=add_f32, "
                        "dimensions={0}" +
                        kOverAll +
                        "\n"
                        "e = f32[2,3] get-tuple-element(s), index=1\n"
                        "ROOT r = f32[3,2] transpose(e), dimensions={1,0}\n"),
                only({"scatter-transpose"}));
  run.check_form("r", "reduce-scatter{1}(transpose{1,0}(y))");
}

TEST_CASE("scatter-transpose: a convert in between is not jumped over") {
  Saturated run(
      program("x = bf16[8,3] parameter(0)\n"
              "s = bf16[2,3] reduce-scatter(x), to_apply=add_bf16, dimensions={0}" +
              kOverAll +
              "\n"
              "c = f32[2,3] convert(s)\n"
              "ROOT r = f32[3,2] transpose(c), dimensions={1,0}\n"));
  CHECK_FALSE(run.holds("r", "reduce-scatter{1}(_)"));
}

}  // namespace
}  // namespace flipsat::rules::testing
