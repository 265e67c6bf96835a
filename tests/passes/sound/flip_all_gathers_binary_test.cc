#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_all_gathers_binary";

std::string gather(const std::string& name, const std::string& operand, const std::string& channel,
                   const std::string& groups = "{{0,1,2,3}}") {
  return "  " + name + " = f32[32] all-gather(" + operand + "), channel_id=" + channel +
         ", replica_groups=" + groups + ", dimensions={0}, use_global_device_ids=true\n";
}

std::string two(const std::string& first, const std::string& second, const std::string& root) {
  return module_of("  x = f32[8] parameter(0)\n  y = f32[8] parameter(1)\n" + first + second +
                   root);
}

const std::string kAdd = "  ROOT s = f32[32] add(a, b)\n";

TEST_CASE("flip binary: two gathers become one with a channel of its own") {
  CHECK(run(kPass, two(gather("a", "x", "1"), gather("b", "y", "5"), kAdd)).text ==
        two("  add.1 = f32[8] add(x, y)\n", "",
            with(gather("ROOT all-gather.1", "add.1", "6"), "", "")));
}

TEST_CASE("flip binary: a gather used twice is one gather, and keeps its channel") {
  std::string out =
      run(kPass, two(gather("a", "x", "4"), "", "  ROOT s = f32[32] multiply(a, a)\n")).text;
  CHECK(out.find("multiply(x, x)") != std::string::npos);
  CHECK(out.find("channel_id=4") != std::string::npos);
}

TEST_CASE("flip binary: any elementwise operation, other result types too") {
  std::string out = run(kPass, two(gather("a", "x", "1"), gather("b", "y", "1"),
                                   "  ROOT s = pred[32] compare(a, b), direction=LT\n"))
                        .text;
  CHECK(out.find("pred[8] compare(x, y), direction=LT") != std::string::npos);
  CHECK(out.find("ROOT all-gather.1 = pred[32] all-gather(compare.1)") != std::string::npos);
  out = run(kPass, two(gather("a", "x", "1"), gather("b", "y", "1"),
                       "  ROOT s = f32[32] clamp(a, b, a)\n"))
            .text;
  CHECK(out.find("clamp(x, y, x)") != std::string::npos);
}

TEST_CASE("flip binary: groups spelled otherwise, or listed in another order, are the same") {
  CHECK(refusal(kPass, two(gather("a", "x", "1"), gather("b", "y", "2", "[1,4]<=[4]"), kAdd)) ==
        "fired");
  std::string text =
      two(gather("a", "x", "1", "{{0,1},{2,3}}"), gather("b", "y", "2", "{{3,2},{1,0}}"), kAdd);
  text =
      with(with(with(with(text, "f32[32]", "f32[16]"), "f32[32]", "f32[16]"), "f32[32]", "f32[16]"),
           "{3,2},{1,0}", "{2,3},{0,1}");
  CHECK(refusal(kPass, text) == "fired");
  CHECK(refusal(kPass, with(text, "{2,3},{0,1}", "{2,3},{1,0}")) == "the groups differ");
}

TEST_CASE("flip binary: no channel is given to gathers without one") {
  std::string text = two(gather("a", "x", "1"), gather("b", "y", "2"), kAdd);
  text = with(with(text, "channel_id=1, ", ""), "channel_id=2, ", "");
  text = with(with(text, ", use_global_device_ids=true", ""), ", use_global_device_ids=true", "");
  text = with(text, "num_partitions", "replica_count");
  Outcome outcome = run(kPass, text);
  CHECK(outcome.report.expanded == 1);
  CHECK(outcome.text.find("channel_id") == std::string::npos);
}

TEST_CASE("flip binary: refuses gathers that are not alike") {
  CHECK(refusal(kPass, two(gather("a", "x", "1"), "  b = f32[32] parameter(2)\n", kAdd)) ==
        "an operand is not an all-gather");
  std::string modes = two(gather("a", "x", "1"), gather("b", "y", "2"), kAdd);
  modes = with(
      modes, "channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true",
      "channel_id=2, replica_groups={{0}}, dimensions={0}");
  CHECK(refusal(kPass, modes) == "the groups differ");
  std::string dims = module_of(
      "  x = f32[8,32] parameter(0)\n  y = f32[32,8] parameter(1)\n"
      "  a = f32[32,32] all-gather(x)" +
      gather_along("0") + "\n  b = f32[32,32] all-gather(y)" + gather_along("1") +
      "\n  ROOT s = f32[32,32] add(a, b)\n");
  CHECK(refusal(kPass, dims) == "the dims differ");
}

TEST_CASE("flip binary: refuses gathers that the author marked as different") {
  std::string text = two(gather("a", "x", "1"), gather("b", "y", "2"), kAdd);
  const std::string kMark = "frontend_attributes={collective_group_key=\"k\"}\n";
  text = with(text, "true\n  b =", "true, " + kMark + "  b =");
  CHECK(refusal(kPass, text) == "the group keys differ");
  CHECK(refusal(kPass, with(text, "true\n  ROOT", "true, " + kMark + "  ROOT")) == "fired");
}

TEST_CASE("flip binary: leaves operations on one operand alone") {
  CHECK(refusal(kPass, two(gather("a", "x", "1"), "", "  ROOT s = f32[32] negate(a)\n")) ==
        "no match");
}

TEST_CASE("flip binary: refuses gathers of several operands") {
  std::string text = module_of(R"(  x = f32[8] parameter(0)
  g = (f32[32], f32[32]) all-gather(x, x))" +
                               gather_along("0") + R"(
  a = f32[32] get-tuple-element(g), index=0
  b = f32[32] get-tuple-element(g), index=1
  ROOT s = f32[32] add(a, b)
)");
  CHECK(refusal(kPass, text) == "the collective has several operands");
}

}  // namespace
}  // namespace flipsat::passes
