#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_all_gather_dynamic_slice";

// Gathered along dim 1; the dims of the result are the sizes of the slice.
std::string slice_of(const std::string& result, const std::string& start = "constant(3)") {
  return module_of("  x = f32[6,2,5] parameter(0)\n  i = s32[] " + start +
                   "\n  g = f32[6,8,5] all-gather(x)" + gather_along("1") + "\n  ROOT w = f32[" +
                   result +
                   "] dynamic-slice(g, i, i, i), "
                   "dynamic_slice_sizes={" +
                   result + "}, metadata={op_name=\"layer\"}\n");
}

const std::string kSeen = "Found pattern: All Gather -> Dynamic Slice";

TEST_CASE("literal dynamic-slice: reuses the channel, copies no metadata") {
  Outcome outcome = run(kPass, slice_of("1,8,2"), kLiteral);
  CHECK(outcome.text == module_of("  x = f32[6,2,5] parameter(0)\n  i = s32[] constant(3)\n"
                                  "  dynamic-slice.1 = f32[1,2,2] dynamic-slice(x, i, i, i), "
                                  "dynamic_slice_sizes={1,2,2}\n"
                                  "  ROOT all-gather.1 = f32[1,8,2] all-gather(dynamic-slice.1)" +
                                  gather_along("1") + "\n"));
  CHECK(outcome.log == std::vector<std::string>{
                           kSeen, "Found pattern: all-gather -> dynamic slice", "found %w in main",
                           "Entering ExpandInstruction", "old all-gather %g",
                           "old dynamic-slice %w", "Created new dynamic-slice %dynamic-slice.1",
                           "Created new all-gather %all-gather.1",
                           "created %dynamic-slice.1 %all-gather.1 for %w in main"});
}

TEST_CASE("literal dynamic-slice: its guards") {
  CHECK(run(kPass, slice_of("1,8,5"), kLiteral).log ==
        std::vector<std::string>{kSeen, "refused %w in main: fewer than two dims are cut"});
  CHECK(refusal(kPass, slice_of("6,8,5"), kLiteral) == "fewer than two dims are cut");
  CHECK(refusal(kPass, slice_of("1,4,5"), kLiteral) == "the gathered dim is cut");
  std::string flat = module_of(
      "  x = f32[6,2] parameter(0)\n  i = s32[] constant(3)\n"
      "  g = f32[6,8] all-gather(x)" +
      gather_along("1") +
      "\n  ROOT w = f32[1,8] dynamic-slice(g, i, i), "
      "dynamic_slice_sizes={1,8}\n");
  CHECK(refusal(kPass, flat, kLiteral) == "the rank is less than 3");
}

TEST_CASE("literal dynamic-slice: does not ask where the others of the group cut") {
  std::string text = slice_of("1,8,2", "parameter(1)");
  CHECK(refusal(kPass, text, kLiteral) == "fired");
  CHECK(refusal(kPass, text) == "a start index differs inside a group");
}

TEST_CASE("literal dynamic-slice: no match for a part of a gather of several operands") {
  std::string text = with(slice_of("1,8,2"), "g = f32[6,8,5] all-gather(x)",
                          "v = (f32[6,8,5], f32[6,8,5]) all-gather(x, x)");
  text = with(text, "  ROOT w", "  g = f32[6,8,5] get-tuple-element(v), index=0\n  ROOT w");
  CHECK(refusal(kPass, text, kLiteral) == "no match");
}

}  // namespace
}  // namespace flipsat::passes
