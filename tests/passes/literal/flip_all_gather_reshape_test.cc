#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_all_gather_reshape";

std::string gather_then_reshape(const std::string& local, const std::string& gathered,
                                const std::string& dim, const std::string& result) {
  return module_of("  x = f32[" + local + "] parameter(0)\n  g = f32[" + gathered +
                   "] all-gather(x)" + gather_along(dim) + ", metadata={op_name=\"gather\"}\n" +
                   "  ROOT r = f32[" + result + "] reshape(g), metadata={op_name=\"flat\"}\n");
}

TEST_CASE("literal reshape: reuses the channel, has the reshape's metadata, moves the dim") {
  Outcome outcome = run(kPass, gather_then_reshape("5,2,7", "5,8,7", "1", "1,5,8,7"), kLiteral);
  CHECK(outcome.text ==
        module_of("  x = f32[5,2,7] parameter(0)\n  reshape.1 = f32[1,5,2,7] reshape(x)\n"
                  "  ROOT all-gather.1 = f32[1,5,8,7] all-gather(reshape.1)" +
                  gather_along("2") + ", metadata={op_name=\"flat\"}\n"));
  CHECK(outcome.log ==
        std::vector<std::string>{"found %r in main",
                                 "Running flip all-gather reshape for instruction: %r",
                                 "created %reshape.1 %all-gather.1 for %r in main"});
}

TEST_CASE("literal reshape: merges the gathered dim with one other, on either side") {
  std::string out = run(kPass, gather_then_reshape("2,6", "8,6", "0", "48"), kLiteral).text;
  CHECK(out.find("f32[12] reshape(x)") != std::string::npos);
  // Wrong: rows of several members are interleaved in the merged dim.
  CHECK(refusal(kPass, gather_then_reshape("3,2", "3,8", "1", "24"), kLiteral) == "fired");
  CHECK(refusal(kPass, gather_then_reshape("3,2,5", "3,8,5", "1", "120"), kLiteral) ==
        "more than one other dim is merged with the gathered one");
  // Dims of size 1 do not count.
  CHECK(refusal(kPass, gather_then_reshape("1,2,5", "1,8,5", "1", "40"), kLiteral) == "fired");
}

TEST_CASE("literal reshape: misses every split of the gathered dim") {
  std::string text = gather_then_reshape("3,2,10", "3,8,10", "1", "3,4,2,10");
  CHECK(run(kPass, text, kLiteral).log ==
        std::vector<std::string>{"refused %r in main: the gathered dim does not go into one dim of "
                                 "the result"});
  CHECK(refusal(kPass, text) == "fired");
}

TEST_CASE("literal reshape: a merge that is no safe one passes where another dim is split") {
  CHECK(refusal(kPass, gather_then_reshape("2,3,1,4", "2,3,4,4", "2", "24,2,2"), kLiteral) ==
        "fired");
}

TEST_CASE("literal reshape: arrays without elements") {
  CHECK(refusal(kPass, gather_then_reshape("0,3", "0,3", "0", "0"), kLiteral) == "fired");
  CHECK(refusal(kPass, gather_then_reshape("2,0", "8,0", "0", "0,8"), kLiteral) ==
        "the gathered dim does not go into one dim of the result");
}

TEST_CASE("literal reshape: no match for a part of a gather of several operands") {
  std::string text = module_of(R"(  x = f32[8] parameter(0)
  g = (f32[32], f32[32]) all-gather(x, x))" +
                               gather_along("0") + R"(
  e = f32[32] get-tuple-element(g), index=1
  ROOT r = f32[1,32] reshape(e)
)");
  CHECK(refusal(kPass, text, kLiteral) == "no match");
}

}  // namespace
}  // namespace flipsat::passes
