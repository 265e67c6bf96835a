#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_all_gather_dynamic_slice";

// A stack of layers, gathered along dim 1; `start` is where dim 0 is cut.
std::string layer_of(const std::string& start) {
  return module_of("  x = f32[6,2,5] parameter(0)\n  zero = s32[] constant(0)\n" + start +
                   "  g = f32[6,8,5] all-gather(x)" + gather_along("1") +
                   "\n  ROOT w = f32[1,8,5] dynamic-slice(g, i, zero, zero), "
                   "dynamic_slice_sizes={1,8,5}\n");
}

const std::string kConstant = "  i = s32[] constant(3)\n";
const std::string kByDevice = "  p = u32[] partition-id()\n  i = s32[] convert(p)\n";
const std::string kDiffers = "a start index differs inside a group";

TEST_CASE("flip dynamic-slice: a slice of another dim is taken before the gather") {
  CHECK(run(kPass, layer_of(kConstant)).text ==
        module_of("  x = f32[6,2,5] parameter(0)\n  zero = s32[] constant(0)\n" + kConstant +
                  "  dynamic-slice.1 = f32[1,2,5] dynamic-slice(x, i, zero, zero), "
                  "dynamic_slice_sizes={1,2,5}\n"
                  "  ROOT all-gather.1 = f32[1,8,5] all-gather(dynamic-slice.1)" +
                  gather_along("1") + "\n"));
}

TEST_CASE("flip dynamic-slice: refuses a start that differs inside a group") {
  CHECK(refusal(kPass, layer_of(kByDevice)) == kDiffers);
  CHECK(refusal(kPass, layer_of("  i = s32[] parameter(1)\n")) == kDiffers);
}

TEST_CASE("flip dynamic-slice: takes the user's word for a parameter") {
  GreedyOptions options;
  options.assume_replicated = {"i"};
  CHECK(refusal(kPass, layer_of("  i = s32[] parameter(1)\n"), options) == "fired");
}

TEST_CASE("flip dynamic-slice: a start may differ between groups") {
  // Partition 0, 1 cut at 0 and 2, 3 at 1; the groups are the same pairs.
  std::string text = layer_of(
      "  p = u32[] partition-id()\n  two = u32[] constant(2)\n"
      "  half = u32[] divide(p, two)\n  i = s32[] convert(half)\n");
  CHECK(refusal(kPass, text) == kDiffers);
  text = with(text, "{{0,1,2,3}}", "{{0,1},{2,3}}");
  text = with(with(with(text, "[6,8,5]", "[6,4,5]"), "[1,8,5]", "[1,4,5]"), "{1,8,5}", "{1,4,5}");
  CHECK(refusal(kPass, text) == "fired");
}

TEST_CASE("flip dynamic-slice: starts that clamp to the same are the same") {
  CHECK(refusal(kPass, layer_of("  p = u32[] partition-id()\n  far = u32[] constant(100)\n"
                                "  q = u32[] add(p, far)\n  i = s32[] convert(q)\n")) == "fired");
}

TEST_CASE("flip dynamic-slice: the start of a dim that is left whole does not matter") {
  std::string text =
      with(layer_of(kConstant + "  p = u32[] partition-id()\n  j = s32[] convert(p)\n"),
           "(g, i, zero, zero)", "(g, i, j, j)");
  CHECK(refusal(kPass, text) == "fired");
}

TEST_CASE("flip dynamic-slice: refuses to cut the gathered dim, or nothing") {
  std::string text = with(layer_of(kConstant), "[1,8,5] dynamic-slice", "[1,4,5] dynamic-slice");
  CHECK(refusal(kPass, with(text, "{1,8,5}", "{1,4,5}")) == "the gathered dim is cut");
  text = with(layer_of(kConstant), "[1,8,5] dynamic-slice", "[6,8,5] dynamic-slice");
  CHECK(refusal(kPass, with(text, "{1,8,5}", "{6,8,5}")) == "nothing is cut");
}

TEST_CASE("flip dynamic-slice: refuses a gather of several operands") {
  std::string text = with(layer_of(kConstant), "g = f32[6,8,5] all-gather(x)",
                          "v = (f32[6,8,5], f32[6,8,5]) all-gather(x, x)");
  text = with(text, "  ROOT w", "  g = f32[6,8,5] get-tuple-element(v), index=0\n  ROOT w");
  CHECK(refusal(kPass, text) == "the collective has several operands");
}

}  // namespace
}  // namespace flipsat::passes
