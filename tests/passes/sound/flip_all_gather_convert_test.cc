#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_all_gather_convert";

const std::string kText = module_of(
    R"(  x = f32[8,16]{1,0} parameter(0)
  g = f32[32,16]{1,0} all-gather(x), channel_id=3, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true, metadata={op_name="gather"}
  h = bf16[32,16]{1,0} convert(g), metadata={op_name="cast"}
  ROOT n = bf16[32,16]{1,0} negate(h)
)");

TEST_CASE("flip convert: the gather moves above, with channel, dim and the convert's metadata") {
  CHECK(run(kPass, kText).text == module_of(R"(  x = f32[8,16]{1,0} parameter(0)
  convert.1 = bf16[8,16]{1,0} convert(x), metadata={op_name="gather"}
  all-gather.1 = bf16[32,16]{1,0} all-gather(convert.1), channel_id=3, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true, metadata={op_name="cast"}
  ROOT n = bf16[32,16]{1,0} negate(all-gather.1)
)"));
}

TEST_CASE("flip convert: a gather without a channel gets none") {
  std::string text =
      with(kText, "channel_id=3, replica_groups={{0,1,2,3}}", "replica_groups={{0,1,2,3}}");
  text = with(with(text, ", use_global_device_ids=true", ""), "num_partitions", "replica_count");
  std::string out = run(kPass, text).text;
  CHECK(out.find("all-gather.1") != std::string::npos);
  CHECK(out.find("channel_id") == std::string::npos);
}

TEST_CASE("flip convert: a gather that stays keeps its channel, the new one gets another") {
  std::string text = with(kText, "ROOT n", "k = f32[32,16]{1,0} negate(g)\n  n");
  text = with(text, "negate(h)\n", "negate(h)\n  ROOT t = (f32[32,16], bf16[32,16]) tuple(k, n)\n");
  std::string out = run(kPass, text).text;
  CHECK(out.find("g = f32[32,16]{1,0} all-gather(x), channel_id=3,") != std::string::npos);
  CHECK(out.find("all-gather(convert.1), channel_id=4,") != std::string::npos);
}

TEST_CASE("flip convert: two converts of one gather, one of them keeps its channel") {
  std::string text = with(kText, "ROOT n", "k = f16[32,16]{1,0} convert(g)\n  n");
  text = with(text, "negate(h)\n", "negate(h)\n  ROOT t = (f16[32,16], bf16[32,16]) tuple(k, n)\n");
  Outcome outcome = run(kPass, text);
  CHECK(outcome.report.expanded == 2);
  CHECK(outcome.text.find("channel_id=3") != std::string::npos);
  CHECK(outcome.text.find("channel_id=4") != std::string::npos);
  CHECK(outcome.text.find(" g =") == std::string::npos);
}

TEST_CASE("flip convert: a packed result stays packed below the gather") {
  std::string text = with(kText, "bf16[32,16]{1,0} convert", "s4[32,16]{1,0:E(4)} convert");
  text = with(text, "bf16[32,16]{1,0} negate", "s4[32,16]{1,0:E(4)} negate");
  std::string out = run(kPass, text).text;
  CHECK(out.find("s4[8,16]{1,0:E(4)} convert(x)") != std::string::npos);
  CHECK(out.find("s4[32,16]{1,0:E(4)} all-gather(convert.1)") != std::string::npos);
}

TEST_CASE("flip convert: the gather's frontend attributes stay with it") {
  std::string text =
      with(kText, ", metadata={op_name=\"gather\"}", ", frontend_attributes={combiner_key=\"k\"}");
  CHECK(run(kPass, text)
            .text.find("all-gather.1 = bf16[32,16]{1,0} all-gather(convert.1), channel_id=3, "
                       "replica_groups={{0,1,2,3}}, dimensions={0}, "
                       "use_global_device_ids=true, frontend_attributes={combiner_key=\"k\"}") !=
        std::string::npos);
}

TEST_CASE("flip convert: other operands are not its pattern") {
  CHECK(refusal(kPass, with(kText, "convert(g)", "convert(x2)")
                           .insert(kText.find("  g ="), "  x2 = f32[32,16]{1,0} parameter(1)\n")) ==
        "no match");
}

TEST_CASE("flip convert: refuses what no rewrite may touch") {
  CHECK(refusal(kPass, kText) == "fired");
  CHECK(refusal(kPass, with(kText, "num_partitions=4", "is_scheduled=true, num_partitions=4")) ==
        "the module is scheduled");
  CHECK(refusal(kPass, with(kText, "dimensions={0}", "dimensions={0}, constrain_layout=true")) ==
        "the layout is constrained");
  CHECK(refusal(kPass, with(kText, "{op_name=\"gather\"}",
                            "{op_name=\"gather\"}, "
                            "frontend_attributes={_scheduling_group_id=\"1\"}")) ==
        "in a scheduling group");
  CHECK(refusal(kPass, with(kText, "convert(g)", "convert(g), control-predecessors={x}")) ==
        "control dependencies");
  CHECK(refusal(kPass, with(kText, "negate(h)", "negate(h), control-predecessors={g}")) ==
        "control dependencies");
  CHECK(refusal(kPass, with(kText, "h = bf16[32,16]{1,0}", "h = bf16[32,16]{1,0:T(8,128)}")) ==
        "a layout is opaque");
  CHECK(refusal(kPass, with(kText, "x = f32[8,16]{1,0}", "x = f32[8,16]{1,0:S(5)}")) ==
        "a layout is opaque");
}

TEST_CASE("flip convert: refuses a dim of unknown size") {
  std::string text = module_of("  x = f32[8,<=16] parameter(0)\n  g = f32[32,<=16] all-gather(x)" +
                               gather_along("0") + "\n  ROOT h = bf16[32,<=16] convert(g)\n");
  CHECK(refusal(kPass, text) == "a dim is dynamic");
}

TEST_CASE("flip convert: refuses a gather of several operands") {
  std::string text = module_of(R"(  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  g = (f32[32], f32[32]) all-gather(x, y))" +
                               gather_along("0") + R"(
  e = f32[32] get-tuple-element(g), index=0
  ROOT h = bf16[32] convert(e)
)");
  CHECK(refusal(kPass, text) == "the collective has several operands");
}

}  // namespace
}  // namespace flipsat::passes
