// Directed edges carried up to where rules match.
#include "rules/saturate.h"

#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

// An all-reduce that is widened, and of which each device then keeps its shard.
std::string shard_of_widened_sum(const std::string& between = "", const std::string& sliced = "w",
                                 const std::string& type = "f32") {
  return program(
      "x = bf16[8,6] parameter(0)\n"
      "s = bf16[8,6] all-reduce(x), to_apply=add_bf16" +
      kOverAll +
      "\n"
      "w = f32[8,6] convert(s)\n" +
      between +
      "table = s32[4] constant({0, 2, 4, 6})\n"
      "id = u32[] partition-id()\n"
      "entry = s32[1] dynamic-slice(table, id), dynamic_slice_sizes={1}\n"
      "start = s32[] reshape(entry)\n"
      "zero = s32[] constant(0)\n"
      "ROOT r = " +
      type + "[2,6] dynamic-slice(" + sliced + ", start, zero), dynamic_slice_sizes={2,6}\n");
}

const std::set<std::string> kRules = {"reduce-convert", "reduce-own-shard"};

TEST_CASE("saturate: a rule uses what a directed edge below it leads to") {
  Saturated run(shard_of_widened_sum(), only(kRules, hlo::Numerics::kPrecise));
  CHECK(run.refines_to("w", "f32[8,6] all-reduce(f32[8,6] convert(x))"));
  CHECK(run.refines_to("r", "f32[2,6] reduce-scatter{0}(f32[8,6] convert(x))"));
  // More precise, not equal.
  CHECK_FALSE(run.holds("r", "reduce-scatter(_)"));
}

TEST_CASE("saturate: nothing is lifted where numerics allow no edge") {
  Saturated run(shard_of_widened_sum(), only(kRules));
  CHECK(run.hlo().graph().all_edges().size() == 0);
}

TEST_CASE("saturate: an edge is lifted over several levels") {
  // bf16 to f32 to f64: the second widening finds the all-reduce that the first edge led to.
  Saturated run(shard_of_widened_sum("v = f64[8,6] convert(w)\n", "v", "f64"),
                only(kRules, hlo::Numerics::kPrecise));
  CHECK(run.refines_to("v", "f64[8,6] all-reduce(f64[8,6] convert(f32[8,6] convert(x)))"));
  CHECK(run.refines_to("r", "f64[2,6] reduce-scatter{0}(_)"));
}

TEST_CASE("saturate: an operation that no rule wants above a collective is not copied") {
  const std::string text = shard_of_widened_sum("n = f32[8,6] negate(w)\n", "n");
  Saturated run(text, only(kRules, hlo::Numerics::kPrecise));
  CHECK(run.refines_to("w", "all-reduce(convert(x))"));
  CHECK_FALSE(run.refines_to("n", "_"));
}

}  // namespace
}  // namespace flipsat::rules::testing
