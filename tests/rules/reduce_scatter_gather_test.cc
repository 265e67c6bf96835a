// AG_d(RS_d(x)) = AR(x)
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

std::string gather_of_scatter(const std::string& scattered, const std::string& gathered,
                              int dim = 0) {
  return program(
      "x = s32[4,3] parameter(0)\n"
      "p = s32[2,3] reduce-scatter(x), dimensions={0}, to_apply=add_s32" +
      in_groups(scattered) + "\nROOT r = s32[" + (dim == 0 ? "4,3" : "2,6") +
      "] all-gather(p), dimensions={" + std::to_string(dim) + "}" + in_groups(gathered, 2) + "\n");
}

TEST_CASE("reduce-scatter-gather: parts of a sum, put together, are the sum") {
  Saturated run(gather_of_scatter("{{0,1},{2,3}}", "{{2,3},{0,1}}"),
                only({"reduce-scatter-gather"}));
  CHECK(run.groups("r", "all-reduce(x)") == "{{0,1},{2,3}}");
  run.check_form("r", "all-reduce(x)");
  Saturated ordered(gather_of_scatter("{{1,0},{3,2}}", "{{1,0},{3,2}}"),
                    only({"reduce-scatter-gather"}));
  CHECK(ordered.groups("r", "all-reduce(x)") == "{{0,1},{2,3}}");
  ordered.check_form("r", "all-reduce(x)");
}

TEST_CASE("reduce-scatter-gather: refused in another order, over other groups or another dim") {
  auto refusal = [](const std::string& text) {
    return Saturated(text, only({"reduce-scatter-gather"})).refusal("reduce-scatter-gather");
  };
  const std::string kOtherGroups = "what is gathered was scattered over other groups";
  CHECK(refusal(gather_of_scatter("{{0,1},{2,3}}", "{{1,0},{2,3}}")) == kOtherGroups);
  CHECK(refusal(gather_of_scatter("{{0,1},{2,3}}", "{{0,2},{1,3}}")) == kOtherGroups);
  CHECK(refusal(gather_of_scatter("{{0,1},{2,3}}", "{{0,1},{2,3}}", 1)) ==
        "what is gathered was scattered along another dim");
}

// transpose(negate(AR(x))), of which each device keeps some columns.
std::string kept_of(const std::string& table, const std::string& columns = "2") {
  return program(
      "x = s32[8,3] parameter(0)\n"
      "zero = s32[] constant(0)\n"
      "pid = u32[] partition-id()\n"
      "table = s32[4] constant({" +
      table +
      "})\n"
      "entry = s32[1] dynamic-slice(table, pid), dynamic_slice_sizes={1}\n"
      "start = s32[] reshape(entry)\n"
      "s = s32[8,3] all-reduce(x), to_apply=add_s32" +
      kOverAll +
      "\n"
      "n = s32[8,3] negate(s)\n"
      "t = s32[3,8] transpose(n), dimensions={1,0}\n"
      "ROOT r = s32[3," +
      columns + "] dynamic-slice(t, zero, start), dynamic_slice_sizes={3," + columns + "}\n");
}

TEST_CASE("reduce-scatter-gather: a sum is taken apart where a device keeps its part") {
  Saturated run(kept_of("2, 0, 4, 6"), only({"reduce-scatter-gather"}));
  const std::string form = "all-gather{0}(reduce-scatter{0}(x))";
  CHECK(run.groups("s", form) == "{{1,0,2,3}}");
  run.check_form("s", form);
}

TEST_CASE("reduce-scatter-gather: a sum is taken apart beside a gather over the same devices") {
  auto beside = [](const std::string& gathered) {
    return program(
        "x = s32[8] parameter(0)\ny = s32[2] parameter(1)\n"
        "s = s32[8] all-reduce(x), to_apply=add_s32" +
        kOverAll + "\ng = s32[8] all-gather(y), dimensions={0}" + in_groups(gathered) +
        "\nROOT r = s32[8] add(s, g)\n");
  };
  Saturated run(beside("{{3,1,0,2}}"), only({"reduce-scatter-gather", "gather-elementwise"}));
  CHECK(run.groups("s", "all-gather{0}(reduce-scatter{0}(x))") == "{{3,1,0,2}}");
  CHECK(run.holds("r", "all-gather{0}(s32[2] add(reduce-scatter{0}(x), y))"));
  run.check_form("r", "all-gather{0}(add(reduce-scatter{0}(x), y))");
}

TEST_CASE("reduce-scatter-gather: a sum of which nobody needs a part stays whole") {
  for (const auto& [table, columns] : {std::pair<std::string, std::string>{"0, 0, 2, 4", "2"},
                                       {"0, 2, 4, 6", "1"},
                                       {"1, 3, 5, 7", "2"}}) {
    Saturated run(kept_of(table, columns), only({"reduce-scatter-gather"}));
    CHECK(run.refusal("reduce-scatter-gather") ==
          "nothing is made of the sum of which a part is enough");
    CHECK_FALSE(run.holds("s", "all-gather{0}(_)"));
  }
}

TEST_CASE("reduce-scatter-gather: an open order is not for those who compare bits") {
  Setup bitwise = only({"reduce-scatter-gather"});
  bitwise.rules.bitwise = true;
  Saturated run(kept_of("0, 2, 4, 6"), bitwise);
  CHECK_FALSE(run.holds("s", "all-gather{0}(_)"));
}

}  // namespace
}  // namespace flipsat::rules::testing
