#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_all_gather_convert";

const std::string kText = module_of(
    R"(  x = f32[8,16]{1,0} parameter(0)
  g = f32[32,16]{1,0} all-gather(x), channel_id=3, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true, frontend_attributes={combiner_key="k"}, metadata={op_name="gather"}
  h = bf16[32,16]{1,0} convert(g), sharding={replicated}, metadata={op_name="cast"}
  ROOT n = bf16[32,16]{1,0} negate(h)
)");

TEST_CASE("literal convert: reuses the channel, copies metadata, loses all other marks") {
  Outcome outcome = run(kPass, kText, kLiteral);
  CHECK(outcome.text == module_of(R"(  x = f32[8,16]{1,0} parameter(0)
  convert.1 = bf16[8,16]{1,0} convert(x), metadata={op_name="gather"}
  all-gather.1 = bf16[32,16]{1,0} all-gather(convert.1), channel_id=3, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true, metadata={op_name="cast"}
  ROOT n = bf16[32,16]{1,0} negate(all-gather.1)
)"));
  CHECK(outcome.log == std::vector<std::string>{"found %h in main",
                                                "created %convert.1 %all-gather.1 for %h in main"});
}

TEST_CASE("literal convert: a gather that stays shares its channel with the new one") {
  std::string text = with(kText, "ROOT n", "k = f32[32,16]{1,0} negate(g)\n  n");
  text = with(text, "negate(h)\n", "negate(h)\n  ROOT t = (f32[32,16], bf16[32,16]) tuple(k, n)\n");
  std::string out = run(kPass, text, kLiteral).text;
  CHECK(out.find("g = f32[32,16]{1,0} all-gather(x), channel_id=3,") != std::string::npos);
  CHECK(out.find("all-gather(convert.1), channel_id=3,") != std::string::npos);
}

TEST_CASE("literal convert: a convert to the same type goes away") {
  std::string text = with(kText, "bf16[32,16]{1,0} convert", "f32[32,16]{1,0} convert");
  text = with(text, "bf16[32,16]{1,0} negate", "f32[32,16]{1,0} negate");
  std::string out = run(kPass, text, kLiteral).text;
  CHECK(out.find("convert") == std::string::npos);
  CHECK(out.find("f32[32,16]{1,0} all-gather(x), channel_id=3") != std::string::npos);
}

TEST_CASE("literal convert: takes what the sound pass refuses") {
  CHECK(refusal(kPass, with(kText, "num_partitions=4", "is_scheduled=true, num_partitions=4"),
                kLiteral) == "fired");
  std::string out =
      run(kPass, with(kText, "dimensions={0}", "dimensions={0}, constrain_layout=true"), kLiteral)
          .text;
  CHECK(out.find("all-gather(convert.1), channel_id=3, replica_groups={{0,1,2,3}}, "
                 "constrain_layout=true, dimensions={0}") != std::string::npos);
  // Users move on; the old value stays for those who wait for it.
  out =
      run(kPass, with(kText, "convert(g)", "convert(g), control-predecessors={x}"), kLiteral).text;
  CHECK(out.find("h = bf16[32,16]{1,0} convert(g), control-predecessors={x}") != std::string::npos);
  CHECK(out.find("negate(all-gather.1)") != std::string::npos);
}

TEST_CASE("literal convert: no match for a part of a gather of several operands") {
  std::string text = module_of(R"(  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  g = (f32[32], f32[32]) all-gather(x, y))" +
                               gather_along("0") + R"(
  e = f32[32] get-tuple-element(g), index=0
  ROOT h = bf16[32] convert(e)
)");
  Outcome outcome = run(kPass, text, kLiteral);
  CHECK(outcome.report.matched == 0);
  CHECK(outcome.log.empty());
}

}  // namespace
}  // namespace flipsat::passes
