#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_reduce_scatter_transpose";

const std::string kText = module_of(
    "  x = f32[3,8,5] parameter(0)\n  r = f32[3,2,5] reduce-scatter(x)" +
    scatter_along("1", "add") + "\n  ROOT t = f32[5,3,2] transpose(r), dimensions={2,0,1}\n");

TEST_CASE("flip transpose: the scatter goes to where its dim goes") {
  CHECK(run(kPass, kText).text ==
        module_of("  x = f32[3,8,5] parameter(0)\n"
                  "  transpose.1 = f32[5,3,8] transpose(x), dimensions={2,0,1}\n"
                  "  ROOT reduce-scatter.1 = f32[5,3,2] reduce-scatter(transpose.1)" +
                  scatter_along("2", "add") + "\n"));
}

TEST_CASE("flip transpose: a convert between them is not its business") {
  std::string text = with(kText, "ROOT t = f32[5,3,2] transpose(r)",
                          "c = f16[3,2,5] convert(r)\n  ROOT t = f16[5,3,2] transpose(c)");
  CHECK(refusal(kPass, text) == "no match");
}

TEST_CASE("flip transpose: refuses a scatter of several operands") {
  std::string text = with(kText, "r = f32[3,2,5] reduce-scatter(x)",
                          "v = (f32[3,2,5], f32[3,2,5]) reduce-scatter(x, x)");
  text = with(text, "  ROOT t", "  r = f32[3,2,5] get-tuple-element(v), index=0\n  ROOT t");
  CHECK(refusal(kPass, text) == "the collective has several operands");
}

}  // namespace
}  // namespace flipsat::passes
