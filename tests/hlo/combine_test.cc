// Combined collectives as text: what is written, where, and what is left alone.
#include "hlo/combine.h"

#include "hlo/packing_plan.h"
#include "hlo/verifier.h"
#include "tests/catch.h"
#include "tests/hlo/combiner_text.h"

namespace flipsat::hlo {
namespace {

using testing::all_reduce;
using testing::entry;
using testing::kGroups;
using testing::kHeader;

struct Written {
  std::string text;
  PackingPlan plan;
};

Written combined(const std::string& text, const CombinerOptions& options) {
  Module module = frontends::read_text(text, "test.hlo");
  Written written;
  written.plan = plan_packing(module, CallGraph(module), options, 1'000'000);
  combine(module, written.plan.batches);
  written.text = frontends::write_text(module);
  const Module again = frontends::read_text(written.text, "again.hlo");
  verify_module(again, infer_device_counts(again, {}));
  const PackingPlan second = plan_packing(again, CallGraph(again), options, 1'000'000);
  CHECK(second.batches.empty());
  CHECK(second.walked == written.plan.planned);
  return written;
}

Written combined(const std::string& text) { return combined(text, combiner_preset("neuron")); }

std::string entry_of(const std::string& text) { return text.substr(text.find("ENTRY")); }

TEST_CASE("combine: interleaved chains, operands before users") {
  const Written written = combined(entry(all_reduce("a1", "x") + "  n1 = f32[32] negate(a1)\n" +
                                         all_reduce("a2", "n1") + all_reduce("b1", "y") +
                                         "  n2 = f32[32] negate(b1)\n" + all_reduce("b2", "n2") +
                                         "  ROOT t = (f32[32], f32[32]) tuple(a2, b2)\n"));
  CHECK(written.plan.walked == 3);
  CHECK(written.plan.planned == 2);
  CHECK(written.plan.bound == 2);
  CHECK(entry_of(written.text) == R"(ENTRY main {
  x = f32[32] parameter(0)
  y = f32[32] parameter(1)
  all-reduce.1 = (f32[32], f32[32]) all-reduce(x, y), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  get-tuple-element.1 = f32[32] get-tuple-element(all-reduce.1), index=0
  n1 = f32[32] negate(get-tuple-element.1)
  get-tuple-element.2 = f32[32] get-tuple-element(all-reduce.1), index=1
  n2 = f32[32] negate(get-tuple-element.2)
  all-reduce.2 = (f32[32], f32[32]) all-reduce(n1, n2), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  get-tuple-element.3 = f32[32] get-tuple-element(all-reduce.2), index=0
  get-tuple-element.4 = f32[32] get-tuple-element(all-reduce.2), index=1
  ROOT t = (f32[32], f32[32]) tuple(get-tuple-element.3, get-tuple-element.4)
}
)");
}

TEST_CASE("combine: users that stand before an operand move down, all else keeps its place") {
  const Written written = combined(
      entry(all_reduce("r1", "x") + "  u = f32[32] add(r1, x)\n  v = f32[32] add(u, u)\n" +
            "  n = f32[32] negate(y)\n  e = f32[32] exponential(x)\n" + all_reduce("r2", "n") +
            "  ROOT t = (f32[32], f32[32], f32[32]) tuple(v, r2, e)\n"));
  CHECK(entry_of(written.text) == R"(ENTRY main {
  x = f32[32] parameter(0)
  y = f32[32] parameter(1)
  n = f32[32] negate(y)
  all-reduce.1 = (f32[32], f32[32]) all-reduce(x, n), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  get-tuple-element.1 = f32[32] get-tuple-element(all-reduce.1), index=0
  u = f32[32] add(get-tuple-element.1, x)
  v = f32[32] add(u, u)
  e = f32[32] exponential(x)
  get-tuple-element.2 = f32[32] get-tuple-element(all-reduce.1), index=1
  ROOT t = (f32[32], f32[32], f32[32]) tuple(v, get-tuple-element.2, e)
}
)");
}

TEST_CASE("combine: gathers along a dim, also of one operand twice, and the root") {
  const Written written = combined(testing::kFiveGathers);
  CHECK(written.plan.planned == 2);
  CHECK(written.text.find("(f32[16,4], f32[16,4], f32[16,4]) all-gather(x, x, x), channel_id=1, "
                          "replica_groups={{0,1,2,3}}, dimensions={0}") != std::string::npos);
  CHECK(written.text.find("(f32[4,16], f32[4,16]) all-gather(x, x)") != std::string::npos);
  const Written root = combined(entry(
      all_reduce("r1", "x") +
      "  c = f32[] custom-call(r1), custom_call_target=\"log\", custom_call_has_side_effect=true\n"
      "  ROOT r2 = f32[32] all-reduce(y), to_apply=add" +
      kGroups + "\n"));
  CHECK(root.text.find("ROOT get-tuple-element") != std::string::npos);
}

TEST_CASE("combine: what all members say is kept, what one says goes to its element") {
  const Written written = combined(
      entry(all_reduce("r1", "x",
                       ", frontend_attributes={a=\"1\",b=\"2\"}, metadata={op_type=\"psum\" "
                       "op_name=\"jit(f)/layer/mlp/psum\" source_line=7}") +
            all_reduce("r2", "y",
                       ", frontend_attributes={b=\"2\",a=\"3\"}, metadata={op_type=\"psum\" "
                       "op_name=\"jit(f)/layer/attention/psum\" source_line=9}") +
            testing::kTuple));
  CHECK(written.text.find("to_apply=add, frontend_attributes={b=\"2\"}, "
                          "metadata={op_type=\"psum\" op_name=\"jit(f)/layer\"}\n") !=
        std::string::npos);
  CHECK(written.text.find("index=1, metadata={op_type=\"psum\" "
                          "op_name=\"jit(f)/layer/attention/psum\" source_line=9}") !=
        std::string::npos);
}

TEST_CASE("combine: what cannot be written as one is not") {
  std::string body;
  SECTION("reducers that are not the same function, though the combiner takes them for it") {
    body = all_reduce("r1", "x") + "  r2 = f32[32] all-reduce(y), to_apply=first" + kGroups + "\n" +
           testing::kTuple;
  }
  SECTION("backend configurations differ") {
    body = all_reduce("r1", "x", ", backend_config={\"a\":1}") +
           all_reduce("r2", "y", ", backend_config={\"a\":2}") + testing::kTuple;
  }
  SECTION("an attribute that is not known") {
    body =
        all_reduce("r1", "x", ", of_another_version=3") + all_reduce("r2", "y") + testing::kTuple;
  }
  SECTION("a control dependency") {
    body = all_reduce("r1", "x") + "  n = f32[32] negate(x), control-predecessors={r1}\n" +
           all_reduce("r2", "n") + testing::kTuple;
  }
  SECTION("one depends on the other") {
    body = all_reduce("r1", "x") + all_reduce("r2", "r1") + testing::kTuple;
  }
  SECTION("the layout is fixed") {
    body =
        all_reduce("r1", "x", ", constrain_layout=true") + all_reduce("r2", "y") + testing::kTuple;
  }
  SECTION("other keys") {
    body = all_reduce("r1", "x") + "  r2 = f32[32] all-reduce(y), to_apply=max" + kGroups + "\n" +
           testing::kTuple;
  }
  SECTION("nobody reads one") {
    body = all_reduce("r1", "x") + all_reduce("r2", "y") + "  ROOT n = f32[32] negate(r1)\n";
  }
  CHECK(combined(entry(body)).plan.batches.empty());
}

TEST_CASE("combine: limits") {
  const std::string three =
      entry(all_reduce("r1", "x") + all_reduce("r2", "y") + all_reduce("r3", "x") +
            "  s = f32[32] add(r2, r3)\n"
            "  ROOT t = (f32[32], f32[32]) tuple(r1, s)\n");
  CHECK(combined(three, testing::neuron_with(1 << 20, 2)).plan.planned == 2);
  CHECK(combined(three, testing::neuron_with(255, 99)).plan.batches.empty());
  CHECK(combined(three, testing::neuron_with(256, 99)).plan.planned == 2);
  CHECK(combined(three, testing::neuron_with(384, 3)).plan.planned == 1);
  CHECK(combined(three, combiner_preset("none")).plan.batches.empty());
}

TEST_CASE("combine: permutes where the combiner takes them") {
  const std::string permutes = entry(
      "  p1 = f32[32] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}\n"
      "  p2 = f32[32] collective-permute(y), channel_id=2, source_target_pairs={{0,1},{1,0}}\n"
      "  ROOT t = (f32[32], f32[32]) tuple(p1, p2)\n");
  CHECK(combined(permutes).plan.batches.empty());
  const Written written = combined(permutes, combiner_preset("xla-gpu"));
  CHECK(written.text.find("(f32[32], f32[32]) collective-permute(x, y), channel_id=1, "
                          "source_target_pairs={{0,1},{1,0}}\n") != std::string::npos);
}

TEST_CASE("combine: reductions that scatter") {
  const Written written =
      combined(entry("  s1 = f32[8] reduce-scatter(x), dimensions={0}, to_apply=add" + kGroups +
                     "\n  s2 = f32[8] reduce-scatter(y), dimensions={0}, to_apply=add" + kGroups +
                     "\n  ROOT t = (f32[8], f32[8]) tuple(s1, s2)\n"));
  CHECK(written.text.find("(f32[8], f32[8]) reduce-scatter(x, y)") != std::string::npos);
}

TEST_CASE("combine: gathers of several dims are left to a combiner that joins them") {
  const Written written = combined(testing::kFiveGathers, combiner_preset("xla-gpu"));
  CHECK(written.plan.batches.empty());
  CHECK(written.plan.walked == 1);
  CHECK(written.plan.planned == 1);
}

TEST_CASE("combine: the same function under two names") {
  const std::string text = kHeader.substr(0, kHeader.find("add16 {")) +
                           "sum {\n  u = f32[] parameter(0)\n  v = f32[] parameter(1)\n"
                           "  ROOT s = f32[] add(v, u)\n}\n\nENTRY main {\n"
                           "  x = f32[32] parameter(0)\n  y = f32[32] parameter(1)\n" +
                           all_reduce("r1", "x") + "  r2 = f32[32] all-reduce(y), to_apply=sum" +
                           kGroups + "\n" + testing::kTuple + "}\n";
  CHECK(combined(text).plan.planned == 1);
}

}  // namespace
}  // namespace flipsat::hlo
