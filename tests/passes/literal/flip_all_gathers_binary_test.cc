#include "passes/errors.h"
#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_all_gathers_binary";

std::string gather(const std::string& name, const std::string& operand,
                   const std::string& channel) {
  return "  " + name + " = f32[32] all-gather(" + operand + "), channel_id=" + channel +
         ", replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true";
}

std::string two(const std::string& first, const std::string& second,
                const std::string& opcode = "add") {
  return module_of("  x = f32[8] parameter(0)\n  y = f32[8] parameter(1)\n" + first + "\n" +
                   second + "\n  ROOT s = f32[32] " + opcode +
                   "(a, b), metadata={op_name=\"sum\"}\n");
}

TEST_CASE("literal binary: one gather with a fresh channel, both new with the old metadata") {
  Outcome outcome = run(kPass, two(gather("a", "x", "4"), gather("b", "y", "4")), kLiteral);
  CHECK(outcome.text ==
        module_of("  x = f32[8] parameter(0)\n  y = f32[8] parameter(1)\n"
                  "  add.1 = f32[8] add(x, y), metadata={op_name=\"sum\"}\n" +
                  gather("ROOT all-gather.1", "add.1", "5") + ", metadata={op_name=\"sum\"}\n"));
  CHECK(outcome.log == std::vector<std::string>{"found %s in main",
                                                "created %add.1 %all-gather.1 for %s in main"});
}

TEST_CASE("literal binary: never fires on gathers with a channel each") {
  CHECK(run(kPass, two(gather("a", "x", "4"), gather("b", "y", "5")), kLiteral).log ==
        std::vector<std::string>{"refused %s in main: the channel ids of the gathers differ"});
}

TEST_CASE("literal binary: nine operations and no other") {
  for (const char* opcode :
       {"add", "divide", "maximum", "minimum", "multiply", "remainder", "subtract"}) {
    CHECK(refusal(kPass, two(gather("a", "x", "4"), gather("b", "y", "4"), opcode), kLiteral) ==
          "fired");
  }
  for (const char* opcode : {"power", "atan2"}) {
    CHECK(refusal(kPass, two(gather("a", "x", "4"), gather("b", "y", "4"), opcode), kLiteral) ==
          "no match");
  }
}

TEST_CASE("literal binary: what makes two gathers differ") {
  const std::string kA = gather("a", "x", "4");
  const std::string kB = gather("b", "y", "4");
  CHECK(refusal(kPass, two(kA, kB + ", sharding={replicated}"), kLiteral) ==
        "the shardings of the gathers differ");
  CHECK(refusal(kPass, two(kA, kB + ", backend_config={\"a\":1}"), kLiteral) ==
        "the backend configs of the gathers differ");
  CHECK(refusal(kPass, two(kA, kB + ", constrain_layout=true"), kLiteral) ==
        "the flags of the gathers differ");
  CHECK(refusal(kPass, two(kA, with(kB, "f32[32]", "f32[32]{0}")), kLiteral) ==
        "the shapes or layouts of the gathers differ");
  CHECK(refusal(kPass, two(kA, with(kB, "{0,1,2,3}", "{1,0,2,3}")), kLiteral) ==
        "the groups of the gathers differ");
  // Spelled otherwise, and marked to be kept apart: still identical.
  CHECK(refusal(kPass, two(kA, with(kB, "{{0,1,2,3}}", "[1,4]<=[4]")), kLiteral) == "fired");
  CHECK(refusal(kPass, two(kA, kB + ", frontend_attributes={combiner_key=\"k\"}"), kLiteral) ==
        "fired");
  CHECK(refusal(kPass, two(kA, "  b = f32[32] parameter(2)"), kLiteral) == "no match");
}

TEST_CASE("literal binary: a channel for gathers without one changes who takes part") {
  std::string text = R"(HloModule test, replica_count=2, num_partitions=2

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[8] all-gather(x), replica_groups={{0,1}}, dimensions={0}
  b = f32[8] all-gather(y), replica_groups={{0,1}}, dimensions={0}
  ROOT s = f32[8] add(a, b)
}
)";
  CHECK_THROWS_AS(run(kPass, text, kLiteral), IllFormedModule);
  text = with(text, ", num_partitions=2", "");
  CHECK(run(kPass, text, kLiteral).text.find("all-gather(add.1), channel_id=1, ") !=
        std::string::npos);
}

TEST_CASE("literal binary: no match for parts of a gather of several operands") {
  std::string text = module_of(R"(  x = f32[8] parameter(0)
  g = (f32[32], f32[32]) all-gather(x, x))" +
                               gather_along("0") + R"(
  a = f32[32] get-tuple-element(g), index=0
  b = f32[32] get-tuple-element(g), index=1
  ROOT s = f32[32] add(a, b)
)");
  CHECK(refusal(kPass, text, kLiteral) == "no match");
}

}  // namespace
}  // namespace flipsat::passes
