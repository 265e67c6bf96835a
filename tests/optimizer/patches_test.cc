// Promise: the output is the input plus patches.
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::Opcode;

TEST_CASE("patches: a definition of the same opcode keeps the name, and users' lines stay") {
  Optimized out(
      program("x = s8[4,8] parameter(0)\n"
              "c = bf16[4,8] convert(x)\n"
              "g = bf16[16,8] all-gather(c), dimensions={0}" +
              kOverAll +
              "\n"
              "wide = f32[16,8] convert(g), metadata={op_name=\"mine\"}\n"
              "ROOT r = f32[16,8]   exponential( wide ) // as it was\n"));
  CHECK(out.shape_of_one(Opcode::kAllGather) == "s8[16,8]");
  const hlo::Instruction& wide = out.operand(out.root());
  CHECK(wide.name == "wide");
  CHECK(out.operand(wide).opcode == Opcode::kAllGather);
  CHECK(contains(out.text, "ROOT r = f32[16,8]   exponential( wide ) // as it was\n"));
  CHECK(wide.raw_text(hlo::AttributeKey::kMetadata) == "{op_name=\"mine\"}");
}

TEST_CASE("patches: a definition of another opcode gets a telling name; users are re-pointed") {
  Optimized out(
      program("x = f32[4,8] parameter(0)\n"
              "g = f32[16,8] all-gather(x), dimensions={0}" +
              kOverAll +
              ", metadata={op_name=\"the gather\"}\n"
              "c = bf16[16,8] convert(g)\n"
              "ROOT r = bf16[16,8] custom-call(c), custom_call_target=\"f\"\n"));
  const hlo::Instruction& gather = out.operand(out.root());
  CHECK(gather.opcode == Opcode::kAllGather);
  CHECK(gather.name == "all-gather.1");
  CHECK(out.operand(gather).name == "convert.1");
  CHECK(contains(out.text, "ROOT r = bf16[16,8] custom-call(all-gather.1), custom_call"));
  CHECK(gather.raw_text(hlo::AttributeKey::kMetadata) == "{op_name=\"the gather\"}");
}

TEST_CASE("patches: fresh names are free in the whole module") {
  Optimized out(R"(HloModule names, num_partitions=4

other {
  convert.7 = f32[4] parameter(0)
  ROOT all-gather.2 = f32[4] negate(convert.7)
}

ENTRY main {
  x = f32[4] parameter(0)
  all-gather = f32[16] all-gather(x), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  y = bf16[16] convert(all-gather)
  z = f32[4] call(x), to_apply=other
  ROOT t = (bf16[16], f32[4]) tuple(y, z)
}
)");
  CHECK(out.operand(out.root()).name == "all-gather.3");
  CHECK(out.operand(out.operand(out.root())).name == "convert.8");
}

// Each is right and none pays.
TEST_CASE("patches: byte for byte the input where nothing gains") {
  const std::string lines =
      "x = bf16[4,8]   parameter(0) // a comment\n"
      "\n"
      "   g = bf16[16,8] all-gather( x ), dimensions={0}" +
      kOverAll +
      "\n"
      "/* another */ w = f32[16,8] convert(g)\n"
      "ROOT r = f32[16,8] negate(w)\n";
  Optimized out(program(lines));
  CHECK(out.is_unchanged());
  CHECK(out.result.changes.empty());
  CHECK(out.kept("gather-convert", "cost"));
}

TEST_CASE("patches: what is not touched keeps its letters") {
  Optimized out(
      program("x = f32[4,8]   parameter(0) // a comment\n"
              "g = f32[16,8] all-gather(x), dimensions={0}" +
              kOverAll +
              "\n"
              "\n"
              "q = f32[4,8]{1,0}   negate( f32[4,8] %x ),metadata={op_name=\"q\"}\n"
              "c = bf16[16,8] convert(g)\n"
              "ROOT t = ( bf16[16,8], f32[4,8] ) tuple(c, q)\n"));
  CHECK_FALSE(out.is_unchanged());
  CHECK(contains(out.text, "x = f32[4,8]   parameter(0) // a comment\n"));
  CHECK(contains(out.text, "q = f32[4,8]{1,0}   negate( f32[4,8] %x ),metadata={op_name=\"q\"}\n"));
}

TEST_CASE("patches: a root that is the replaced value is replaced as root") {
  Optimized out(
      program("x = f32[4,8] parameter(0)\n"
              "g = f32[16,8] all-gather(x), dimensions={0}" +
              kOverAll +
              "\n"
              "ROOT r = bf16[16,8] convert(g)\n"));
  CHECK(out.root().opcode == Opcode::kAllGather);
  CHECK(contains(out.text, "ROOT all-gather.1 = bf16[16,8] all-gather("));
  CHECK_FALSE(contains(out.text, "ROOT r"));
}

TEST_CASE("patches: a body's root too, and its callers see the same shape") {
  Optimized out(R"(HloModule body, num_partitions=4

half {
  p = f32[4] parameter(0)
  g = f32[16] all-gather(p), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  ROOT r = bf16[16] convert(g)
}

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = bf16[16]   call(x), to_apply=half
  b = bf16[16]   call(y), to_apply=half
  ROOT t = (bf16[16], bf16[16]) tuple(a, b)
}
)");
  // One body, called twice, patched once.
  CHECK(out.result.changes.size() == 1);
  CHECK(out.result.changes[0].computation == "half");
  CHECK(out.shape_of_one(Opcode::kAllGather) == "bf16[16]");
  CHECK(contains(out.text, "a = bf16[16]   call(x), to_apply=half\n"));
  CHECK(contains(out.text, "b = bf16[16]   call(y), to_apply=half\n"));
  CHECK(out.result.input_cost.executed.gathered_bytes ==
        2 * out.result.input_cost.plain.gathered_bytes);
}

TEST_CASE("patches: the elements of a tuple root are replaced one by one") {
  Optimized out(
      program("x = f32[4,8] parameter(0)\n"
              "y = bf16[4,8] parameter(1)\n"
              "g = f32[16,8] all-gather(x), dimensions={0}" +
              kOverAll +
              "\n"
              "h = bf16[16,8] all-gather(y), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 2) +
              "\n"
              "c = bf16[16,8] convert(g)\n"
              "d = f32[16,8] convert(h)\n"
              "ROOT t = (bf16[16,8], bf16[16,8], f32[16,8]) tuple(c, h, d)\n"));
  CHECK(contains(out.text, "tuple(all-gather.1, h, d)"));
  CHECK(contains(out.text, "h = bf16[16,8] all-gather(y), dimensions={0}"));
}

TEST_CASE("patches: a copy behind a replaced value keeps its line but for the operand") {
  Optimized out(
      program("x = f8e5m2[4,8]{1,0} parameter(0)\n"
              "w = bf16[4,8]{1,0} convert(x)\n"
              "g = bf16[16,8]{1,0} all-gather(w), dimensions={0}" +
              kOverAll +
              "\n"
              "c = bf16[16,8]{0,1} copy(g), metadata={op_name=\"turned\"}\n"
              "ROOT r = bf16[16,8]{0,1} negate(c)\n"));
  const hlo::Instruction& copy = out.one(Opcode::kCopy);
  CHECK(copy.name == "c");
  CHECK(out.operand(copy).opcode == Opcode::kConvert);
  CHECK(contains(out.text, "ROOT r = bf16[16,8]{0,1} negate(c)\n"));
  CHECK(contains(out.text, "metadata={op_name=\"turned\"}"));
}

TEST_CASE("patches: a flip through a copy leaves a value of the copy's layout") {
  Optimized out(
      program("x = f32[4,8]{1,0} parameter(0)\n"
              "g = f32[16,8]{1,0} all-gather(x), dimensions={0}" +
              kOverAll +
              "\n"
              "c = f32[16,8]{0,1} copy(g)\n"
              "ROOT r = bf16[16,8]{0,1} convert(c)\n"));
  CHECK(contains(out.text, "ROOT all-gather.1 = bf16[16,8]{0,1} all-gather("));
}

TEST_CASE("patches: duplicates of a gather become one, and the first keeps its line") {
  Optimized out(
      program("x = f32[4,8] parameter(0)\n"
              "g = f32[16,8] all-gather(x), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 1) +
              "\n"
              "h = f32[16,8] all-gather(x), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 2) +
              "\n"
              "i = f32[16,8] all-gather(x), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 3) +
              "\n"
              "a = f32[16,8] custom-call(g), custom_call_target=\"f\"\n"
              "b = f32[16,8] custom-call(h), custom_call_target=\"f\"\n"
              "c = f32[16,8] custom-call(i), custom_call_target=\"f\"\n"
              "ROOT t = (f32[16,8], f32[16,8], f32[16,8]) tuple(a, b, c)\n"));
  CHECK(out.one(Opcode::kAllGather).name == "g");
  CHECK(contains(out.text, "b = f32[16,8] custom-call(g), custom_call_target"));
  CHECK(contains(out.text, "c = f32[16,8] custom-call(g), custom_call_target"));
  CHECK(out.rules() == std::vector<std::string>{"duplicate"});
}

TEST_CASE("patches: a second gather behind a barrier is deliberate") {
  const std::string text = program(
      "x = f32[4,8] parameter(0)\n"
      "g = f32[16,8] all-gather(x), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 1) +
      "\n"
      "b = f32[4,8] opt-barrier(x)\n"
      "h = f32[16,8] all-gather(b), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 2) +
      "\n"
      "a = f32[16,8] custom-call(g), custom_call_target=\"f\"\n"
      "c = f32[16,8] custom-call(h), custom_call_target=\"f\"\n"
      "ROOT t = (f32[16,8], f32[16,8]) tuple(a, c)\n");
  CHECK(Optimized(text).is_unchanged());
}

// Values that rules find equal to ones that are there already: nothing new is written.
const std::string kPlace =
    "pid = u32[] partition-id()\n"
    "four = u32[] constant(4)\n"
    "zero = u32[] constant(0)\n"
    "start = u32[] multiply(pid, four)\n";

TEST_CASE("patches: a gather of which each reads its own shard goes away") {
  Optimized out(program("x = f32[4,8] parameter(0)\n" + kPlace +
                        "g = f32[16,8] all-gather(x), dimensions={0}" + kOverAll +
                        "\n"
                        "d = f32[4,8] dynamic-slice(g, start, zero), dynamic_slice_sizes={4,8}\n"
                        "ROOT r = f32[4,8] custom-call(d), custom_call_target=\"f\"\n"));
  CHECK(out.all(Opcode::kAllGather).empty());
  CHECK(out.operand(out.root()).name == "x");
  CHECK(out.result.output_cost.time == 0);
}

TEST_CASE("patches: a value that is cut up and gathered again stays whole") {
  Optimized out(program("x = f32[16,8] parameter(0), sharding={replicated}\n" + kPlace +
                        "d = f32[4,8] dynamic-slice(x, start, zero), dynamic_slice_sizes={4,8}\n"
                        "g = f32[16,8] all-gather(d), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "ROOT r = f32[16,8] custom-call(g), custom_call_target=\"f\"\n"));
  CHECK(out.all(Opcode::kAllGather).empty());
  CHECK(out.operand(out.root()).name == "x");
}

TEST_CASE("patches: a loop's body is patched, and its gain counts for every trip") {
  const std::string text = R"(HloModule loop, num_partitions=4

more {
  state = (s32[], f32[4,8], bf16[16,8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  n = s32[] constant(1000)
  ROOT go = pred[] compare(i, n), direction=LT
}

step {
  state = (s32[], f32[4,8], bf16[16,8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[4,8] get-tuple-element(state), index=1
  sum = bf16[16,8] get-tuple-element(state), index=2
  g = f32[16,8] all-gather(x), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  c = bf16[16,8] convert(g)
  sum_next = bf16[16,8] add(sum, c)
  ROOT t = (s32[], f32[4,8], bf16[16,8]) tuple(next, x, sum_next)
}

ENTRY run {
  zero = s32[] constant(0)
  x = f32[4,8] parameter(0)
  s = bf16[16,8] parameter(1)
  start = (s32[], f32[4,8], bf16[16,8]) tuple(zero, x, s)
  ROOT end = (s32[], f32[4,8], bf16[16,8]) while(start), condition=more, body=step
}
)";
  Optimized out(text);
  CHECK(out.shape_of_one(Opcode::kAllGather) == "bf16[16,8]");
  CHECK(out.result.changes[0].computation == "step");
  CHECK(out.result.input_cost.executed.gathered_bytes == 1000 * 16 * 8 * 4);
  CHECK(out.result.output_cost.executed.gathered_bytes == 1000 * 16 * 8 * 2);
  // What one trip gains, a thousand times.
  CHECK(out.result.input_cost.time - out.result.output_cost.time ==
        1000 * (out.result.changes[0].time_before - out.result.changes[0].time_after));
}

TEST_CASE("patches: the same input gives the same bytes, and the output is left as it is") {
  const std::string text = program(
      "a = f32[4,8] parameter(0)\n"
      "b = f32[4,8] parameter(1)\n"
      "c = s8[4,8] parameter(2)\n"
      "ga = f32[16,8] all-gather(a), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 1) +
      "\n"
      "gb = f32[16,8] all-gather(b), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 2) +
      "\n"
      "gc = s8[16,8] all-gather(c), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 3) +
      "\n"
      "s = f32[16,8] add(ga, gb)\n"
      "r = f32[128] reshape(s)\n"
      "h = bf16[128] convert(r)\n"
      "k = bf16[16,8] convert(gc)\n"
      "ROOT t = (bf16[128], bf16[16,8]) tuple(h, k)\n");
  Optimized first(text), second(text);
  CHECK(first.text == second.text);
  CHECK_FALSE(first.is_unchanged());
  CHECK(Optimized(first.text).is_unchanged());
}

}  // namespace
}  // namespace flipsat::optimizer::testing
