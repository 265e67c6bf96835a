#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_all_gather_reshape";

// A gather over four partitions along `dim`, then a reshape.
std::string gather_then_reshape(const std::string& local, const std::string& gathered,
                                const std::string& dim, const std::string& result) {
  return module_of("  x = f32[" + local + "] parameter(0)\n  g = f32[" + gathered +
                   "] all-gather(x)" + gather_along(dim) + "\n  ROOT r = f32[" + result +
                   "] reshape(g)\n");
}

TEST_CASE("flip reshape: a split keeps the gathered part in front") {
  CHECK(run(kPass, gather_then_reshape("3,2,10", "3,8,10", "1", "3,4,2,10")).text ==
        module_of("  x = f32[3,2,10] parameter(0)\n  reshape.1 = f32[3,1,2,10] reshape(x)\n"
                  "  ROOT all-gather.1 = f32[3,4,2,10] all-gather(reshape.1)" +
                  gather_along("1") + "\n"));
}

TEST_CASE("flip reshape: fires where the parts stay together") {
  CHECK(run(kPass, gather_then_reshape("4,6", "16,6", "0", "96"))
            .text.find("f32[96] all-gather(reshape.1)" + gather_along("0")) != std::string::npos);
  CHECK(run(kPass, gather_then_reshape("2,3,4", "2,12,4", "1", "2,48"))
            .text.find("f32[2,12] reshape(x)") != std::string::npos);
  CHECK(run(kPass, gather_then_reshape("5,2,7", "5,8,7", "1", "1,5,1,8,7"))
            .text.find("all-gather(reshape.1)" + gather_along("3")) != std::string::npos);
}

TEST_CASE("flip reshape: refuses where members would interleave") {
  const std::string kReason = "the reshape does not keep the gathered parts together";
  CHECK(refusal(kPass, gather_then_reshape("3,2", "3,8", "1", "24")) == kReason);
  CHECK(refusal(kPass, gather_then_reshape("3,2", "12,2", "0", "3,8")) == kReason);
  CHECK(refusal(kPass, gather_then_reshape("2,5", "8,5", "0", "2,4,5")) == kReason);
}

TEST_CASE("flip reshape: the new dim need not have been there before") {
  // Each member's part is a row of the result.
  CHECK(refusal(kPass, gather_then_reshape("2,5", "8,5", "0", "4,10")) == "fired");
}

TEST_CASE("flip reshape: no elements, and groups of one") {
  CHECK(refusal(kPass, gather_then_reshape("2,0", "8,0", "0", "0,8")) == "no elements");
  std::string alone = R"(HloModule test, num_partitions=1

ENTRY main {
  x = f32[2,3] parameter(0)
  g = f32[2,3] all-gather(x), replica_groups={{0}}, dimensions={1}
  ROOT r = f32[3,2] reshape(g)
}
)";
  CHECK(run(kPass, alone)
            .text.find("f32[3,2] all-gather(reshape.1), replica_groups={{0}}, dimensions={0}") !=
        std::string::npos);
  CHECK(refusal(kPass, with(with(with(alone, "[2,3] p", "[1,1] p"), "[2,3] a", "[1,1] a"),
                            "[3,2] r", "[] r")) ==
        "the reshape does not keep the gathered parts together");
}

TEST_CASE("flip reshape: refuses a gather of several operands") {
  std::string text = module_of(R"(  x = f32[8] parameter(0)
  g = (f32[32], f32[32]) all-gather(x, x))" +
                               gather_along("0") + R"(
  e = f32[32] get-tuple-element(g), index=1
  ROOT r = f32[4,8] reshape(e)
)");
  CHECK(refusal(kPass, text) == "the collective has several operands");
}

}  // namespace
}  // namespace flipsat::passes
