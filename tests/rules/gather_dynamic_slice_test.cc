// DS(AG_d(x), i) = AG_d(DS(x, i))
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const std::string kDiffers = "a start index differs inside a group";
const std::string kCut = "the gathered dim is cut";

// One layer and a band of columns out of a stack gathered along dim 1; `i` is the layer's number.
std::string pick(const std::string& index, const std::string& groups = "{{0,1,2,3}}", int n = 4) {
  std::string rows = std::to_string(3 * n);
  return program("stack = f32[5,3,7] parameter(0)\n" + index +
                 "zero = s32[] constant(0)\n"
                 "two = s32[] constant(2)\n"
                 "g = f32[5," +
                 rows + ",7] all-gather(stack), dimensions={1}" + in_groups(groups) +
                 "\n"
                 "ROOT r = f32[1," +
                 rows +
                 ",4] dynamic-slice(g, i, zero, two), "
                 "dynamic_slice_sizes={1," +
                 rows + ",4}\n");
}

const std::string kForm = "all-gather{1}(f32[1,3,4] dynamic-slice{1,3,4}(stack, i, zero, two))";

TEST_CASE("gather-dynamic-slice: constant starts") {
  Saturated run(pick("i = s32[] constant(3)\n"), only({"gather-dynamic-slice"}));
  run.check_form("r", kForm);
}

TEST_CASE("gather-dynamic-slice: a start that a sharding says is the same everywhere") {
  Saturated run(pick("i = s32[] parameter(1), sharding={replicated}\n"),
                only({"gather-dynamic-slice"}));
  run.check_form("r", kForm);
}

TEST_CASE("gather-dynamic-slice: a start that the user says is the same everywhere") {
  const std::string text = pick("i = s32[] parameter(1)\n");
  Setup setup = only({"gather-dynamic-slice"});
  CHECK(Saturated(text, setup).refusal("gather-dynamic-slice/forward/rank3") == kDiffers);
  setup.assume_replicated = {"i"};
  Saturated run(text, setup);
  run.check_form("r", kForm);
}

TEST_CASE("gather-dynamic-slice: starts that differ and clamp to one place") {
  // 4, 5, 6, 7 in a dim of 5 with a cut of 1.
  Saturated run(pick("pid = u32[] partition-id()\n"
                     "p = s32[] convert(pid)\n"
                     "four = s32[] constant(4)\n"
                     "i = s32[] add(p, four)\n"),
                only({"gather-dynamic-slice"}));
  run.check_form("r", kForm);
  // 3, 4, 5, 6 do not.
  Saturated apart(pick("pid = u32[] partition-id()\n"
                       "p = s32[] convert(pid)\n"
                       "three = s32[] constant(3)\n"
                       "i = s32[] add(p, three)\n"),
                  only({"gather-dynamic-slice"}));
  CHECK(apart.refusal("gather-dynamic-slice/forward/rank3") == kDiffers);
}

TEST_CASE("gather-dynamic-slice: a start may differ between groups, not inside one") {
  const std::string half =
      "pid = u32[] partition-id()\n"
      "p = s32[] convert(pid)\n"
      "w = s32[] constant(2)\n"
      "i = s32[] divide(p, w)\n";
  Saturated run(pick(half, "{{0,1},{2,3}}", 2), only({"gather-dynamic-slice"}));
  run.check_form("r", kForm);
  Saturated crossed(pick(half, "{{0,2},{1,3}}", 2), only({"gather-dynamic-slice"}));
  CHECK(crossed.refusal("gather-dynamic-slice/forward/rank3") == kDiffers);
  CHECK_FALSE(crossed.holds("r", "all-gather{1}(_)"));
}

TEST_CASE("gather-dynamic-slice: refused where each device picks its own place") {
  Saturated run(pick("pid = u32[] partition-id()\ni = s32[] convert(pid)\n"),
                only({"gather-dynamic-slice"}));
  CHECK(run.refusal("gather-dynamic-slice/forward/rank3") == kDiffers);
  CHECK_FALSE(run.holds("r", "all-gather{1}(_)"));
}

TEST_CASE("gather-dynamic-slice: refused where the gathered dim itself is cut") {
  Saturated run(program("x = f32[3,6] parameter(0)\n"
                        "zero = s32[] constant(0)\n"
                        "g = f32[12,6] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "ROOT r = f32[3,6] dynamic-slice(g, zero, zero), "
                        "dynamic_slice_sizes={3,6}\n"),
                only({"gather-dynamic-slice"}));
  CHECK(run.refusal("gather-dynamic-slice/forward/rank2") == kCut);
  CHECK_FALSE(run.holds("r", "all-gather{0}(_)"));
}

TEST_CASE("gather-dynamic-slice: the index of a dim that is not cut does not matter") {
  Saturated run(program("x = f32[3,6] parameter(0)\n"
                        "anywhere = s32[] parameter(1)\n"
                        "one = s32[] constant(1)\n"
                        "g = f32[12,6] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "ROOT r = f32[12,2] dynamic-slice(g, anywhere, one), "
                        "dynamic_slice_sizes={12,2}\n"),
                only({"gather-dynamic-slice"}));
  run.check_form("r", "all-gather{0}(dynamic-slice{3,2}(x, anywhere, one))");
}

TEST_CASE("gather-dynamic-slice: every rank up to six") {
  for (int rank = 2; rank <= 6; ++rank) {
    INFO(rank);
    std::string local, whole, cut, starts;
    for (int dim = 0; dim < rank; ++dim) {
      std::string comma = dim == 0 ? "" : ",";
      local += comma + (dim == 1 ? "2" : "3");
      whole += comma + (dim == 1 ? "8" : "3");
      cut += comma + (dim == 1 ? "8" : dim == 0 ? "2" : "1");
      starts += ", one";
    }
    Saturated run(
        program("x = s32[" + local +
                "] parameter(0)\n"
                "one = s32[] constant(1)\n"
                "g = s32[" +
                whole + "] all-gather(x), dimensions={1}" + kOverAll +
                "\n"
                "ROOT r = s32[" +
                cut + "] dynamic-slice(g" + starts + "), dynamic_slice_sizes={" + cut + "}\n"),
        only({"gather-dynamic-slice"}));
    run.check_form("r", "all-gather{1}(dynamic-slice(x" + starts + "))");
  }
}

std::string picked_before(const std::string& index, int dim) {
  std::string result = dim == 0 ? "f32[4,9]" : "f32[1,36]";
  return program("x = f32[5,9] parameter(0)\n" + index +
                 "zero = s32[] constant(0)\n"
                 "s = f32[1,9] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,9}\n"
                 "ROOT r = " +
                 result + " all-gather(s), dimensions={" + std::to_string(dim) + "}" + kOverAll +
                 "\n");
}

TEST_CASE("gather-dynamic-slice: going back, the whole is gathered and then cut") {
  Saturated run(picked_before("i = s32[] constant(2)\n", 1), only({"gather-dynamic-slice"}));
  run.check_form("r", "dynamic-slice{1,36}(f32[5,36] all-gather{1}(x), i, zero)");
}

TEST_CASE("gather-dynamic-slice: refused backward for the same reasons") {
  Saturated own(picked_before("pid = u32[] partition-id()\ni = s32[] convert(pid)\n", 1),
                only({"gather-dynamic-slice"}));
  CHECK(own.refusal("gather-dynamic-slice/backward/rank2") == kDiffers);
  Saturated cut(picked_before("i = s32[] constant(2)\n", 0), only({"gather-dynamic-slice"}));
  CHECK(cut.refusal("gather-dynamic-slice/backward/rank2") == kCut);
}

}  // namespace
}  // namespace flipsat::rules::testing
