// Twenty small programs, each with one point: where a flip pays, where it is wrong, and where it is
// right and does not pay. In the last kind the e-graph holds the form and the greedy pass makes it,
// and the optimizer leaves the program alone.
#include "hlo/call_graph.h"
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::Numerics;
using hlo::Opcode;

TEST_CASE("case 1: two shards are narrowed before they are gathered") {
  Optimized out(
      program("key = f32[3,6,5] parameter(0)\n"
              "value = f32[3,6,5] parameter(1)\n"
              "keys = f32[3,24,5] all-gather(key), dimensions={1}" +
              in_groups("{{0,1,2,3}}", 3) +
              "\n"
              "values = f32[3,24,5] all-gather(value), dimensions={1}" +
              in_groups("{{0,1,2,3}}", 5) +
              "\n"
              "keys16 = bf16[3,24,5] convert(keys)\n"
              "values16 = bf16[3,24,5] convert(values)\n"
              "ROOT kv = (bf16[3,24,5], bf16[3,24,5]) tuple(keys16, values16)\n"));
  REQUIRE(out.all(Opcode::kAllGather).size() == 2);
  for (const hlo::Instruction* gather : out.all(Opcode::kAllGather)) {
    CHECK(to_string_without_layout(gather->shape) == "bf16[3,24,5]");
    CHECK(out.operand(*gather).opcode == Opcode::kConvert);
  }
  CHECK(out.result.input_cost.plain.gathered_bytes ==
        2 * out.result.output_cost.plain.gathered_bytes);
  // One key, so that they may go out together; each keeps its channel.
  CHECK(out.result.output_cost.keys.size() == 1);
  CHECK(out.result.output_cost.plain.launches == 1);
  CHECK(out.channels() == std::vector<int64_t>{3, 5});
  CHECK(out.rules() == std::vector<std::string>{"gather-convert"});
}

TEST_CASE("case 2: what was widened before the gather is widened after it") {
  const std::string text = program(
      "w = f8e4m3fn[6,10] parameter(0)\n"
      "wide = bf16[6,10] convert(w)\n"
      "ROOT all = bf16[24,10] all-gather(wide), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 21) + "\n");
  Optimized out(text);
  CHECK(out.shape_of_one(Opcode::kAllGather) == "f8e4m3fn[24,10]");
  CHECK(out.root().opcode == Opcode::kConvert);
  CHECK(out.channels() == std::vector<int64_t>{21});
  CHECK(out.result.input_cost.plain.gathered_bytes ==
        2 * out.result.output_cost.plain.gathered_bytes);
  CHECK(greedily(text) == text);
}

TEST_CASE("case 3: a gather that a second user needs as it is stays alone") {
  const std::string text = program(
      "x = f32[6,20] parameter(0)\n"
      "all = f32[24,20] all-gather(x), dimensions={0}" +
      kOverAll +
      "\n"
      "half = bf16[24,20] convert(all)\n"
      "minus = f32[24,20] negate(all)\n"
      "ROOT both = (bf16[24,20], f32[24,20]) tuple(half, minus)\n");
  Optimized out(text);
  CHECK(out.is_unchanged());
  CHECK(out.kept("gather-convert", "cost"));
  CHECK(Saturated(text).holds("half", "all-gather{0}(convert(x))"));
  std::string greedy = greedily(text);
  CHECK(contains(greedy, "f32[24,20] all-gather("));
  CHECK(contains(greedy, "bf16[24,20] all-gather("));
  CHECK(out.result.greedy_cost.time > out.result.input_cost.time);
}

TEST_CASE("case 4: fewer bytes or one key, as the costs say") {
  const std::string text = program(
      "a = f32[3,40] parameter(0)\n"
      "b = s8[3,40] parameter(1)\n"
      "ga = f32[12,40] all-gather(a), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 1) +
      "\n"
      "gb = s8[12,40] all-gather(b), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 2) +
      "\n"
      "ca = bf16[12,40] convert(ga)\n"
      "cb = bf16[12,40] convert(gb)\n"
      "ROOT both = (bf16[12,40], bf16[12,40]) tuple(ca, cb)\n");
  auto gathered = [&](const Options& options) {
    Optimized out(text, options);
    std::vector<std::string> shapes;
    for (const hlo::Instruction* gather : out.all(Opcode::kAllGather)) {
      shapes.push_back(to_string_without_layout(gather->shape));
    }
    std::sort(shapes.begin(), shapes.end());
    return shapes;
  };
  const std::vector<std::string> one_key = {"bf16[12,40]", "bf16[12,40]"};
  const std::vector<std::string> fewest_bytes = {"bf16[12,40]", "s8[12,40]"};
  CHECK(gathered({}) == one_key);
  Options bytes;
  bytes.cost.objective = extract::Objective::kBytes;
  CHECK(gathered(bytes) == fewest_bytes);
  Options alone;  // nothing is combined, so that a key is worth nothing
  alone.cost.combiner = hlo::combiner_preset("none");
  CHECK(gathered(alone) == fewest_bytes);
}

TEST_CASE("case 5: a reshape that splits a dim behind the gathered one is made on the shard") {
  Optimized out(
      program("x = bf16[5,3,24] parameter(0)\n"
              "all = bf16[5,12,24] all-gather(x), dimensions={1}" +
              in_groups("{{0,1,2,3}}", 9) +
              "\n"
              "ROOT heads = bf16[5,12,4,6] reshape(all)\n"));
  const hlo::Instruction& gather = out.one(Opcode::kAllGather);
  CHECK(to_string_without_layout(out.operand(gather).shape) == "bf16[5,3,4,6]");
  CHECK(gather.dimensions() == hlo::IntList{1});
  CHECK(to_string_without_layout(out.root().shape) == "bf16[5,12,4,6]");
  CHECK(out.channels() == std::vector<int64_t>{9});
}

TEST_CASE("case 6: weights of different ranks are gathered flat, alike") {
  const std::string text = program(
      "p = bf16[6,10] parameter(0)\n"
      "q = bf16[3,2,7] parameter(1)\n"
      "gp = bf16[24,10] all-gather(p), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 1) +
      "\n"
      "gq = bf16[12,2,7] all-gather(q), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 2) +
      "\n"
      "fp = bf16[240] reshape(gp)\n"
      "fq = bf16[168] reshape(gq)\n"
      "ROOT flat = (bf16[240], bf16[168]) tuple(fp, fq)\n");
  Optimized out(text);
  REQUIRE(out.all(Opcode::kAllGather).size() == 2);
  for (const hlo::Instruction* gather : out.all(Opcode::kAllGather)) {
    CHECK(gather->shape.rank() == 1);
    CHECK(gather->dimensions() == hlo::IntList{0});
  }
  CHECK(out.result.output_cost.keys.size() == 1);
  CHECK(out.result.output_cost.plain.launches == 1);
  CHECK(out.channels() == std::vector<int64_t>{1, 2});
}

TEST_CASE("case 7: a gathered dim that is merged into one before it stays where it is") {
  const std::string text = program(
      "x = f32[5,3,2] parameter(0)\n"
      "all = f32[5,12,2] all-gather(x), dimensions={1}" +
      kOverAll +
      "\n"
      "ROOT rows = f32[60,2] reshape(all)\n");
  Optimized out(text);
  CHECK(out.is_unchanged());
  CHECK(out.result.kept.empty());
  CHECK(greedily(text) == text);
}

TEST_CASE("case 8: a sum of gathers is a gathered sum; a product with one's own value is not") {
  Optimized out(
      program("a = f32[3,8] parameter(0)\n"
              "b = f32[3,8] parameter(1)\n"
              "c = f32[3,8] parameter(2)\n"
              "own = f32[6,8] parameter(3)\n"
              "ga = f32[6,8] all-gather(a), dimensions={0}" +
                  in_groups("{{0,1}}", 4) +
                  "\n"
                  "gb = f32[6,8] all-gather(b), dimensions={0}" +
                  in_groups("{{0,1}}", 6) +
                  "\n"
                  "gc = f32[6,8] all-gather(c), dimensions={0}" +
                  in_groups("{{0,1}}", 11) +
                  "\n"
                  "sum = f32[6,8] add(ga, gb)\n"
                  "product = f32[6,8] multiply(gc, own)\n"
                  "ROOT out = (f32[6,8], f32[6,8]) tuple(sum, product)\n",
              "num_partitions=2"));
  CHECK(out.all(Opcode::kAllGather).size() == 2);
  const hlo::Instruction& sum = out.operand(out.root(), 0);
  CHECK(sum.opcode == Opcode::kAllGather);
  CHECK(out.operand(sum).opcode == Opcode::kAdd);
  CHECK(sum.channel_id() == 12);
  CHECK(contains(out.text, "product = f32[6,8] multiply(gc, own)"));
}

TEST_CASE("case 9: gathers in other groups or along other dims only look alike") {
  const std::string text = program(
      "a = f32[3,6] parameter(0)\n"
      "b = f32[3,6] parameter(1)\n"
      "c = f32[6,3] parameter(2)\n"
      "near = f32[6,6] all-gather(a), dimensions={0}" +
      in_groups("{{0,1},{2,3}}", 1) +
      "\n"
      "far = f32[6,6] all-gather(b), dimensions={0}" +
      in_groups("{{0,2},{1,3}}", 2) +
      "\n"
      "side = f32[6,6] all-gather(c), dimensions={1}" +
      in_groups("{{0,1},{2,3}}", 3) +
      "\n"
      "s = f32[6,6] add(near, far)\n"
      "t = f32[6,6] add(near, side)\n"
      "ROOT out = (f32[6,6], f32[6,6]) tuple(s, t)\n");
  CHECK(Optimized(text).is_unchanged());
  CHECK(greedily(text) == text);
}

TEST_CASE("case 10: nothing crosses an optimization barrier") {
  const std::string text = program(
      "x = bf16[6,12] parameter(0)\n"
      "small = f8e4m3fn[6,12] convert(x)\n"
      "t = (f8e4m3fn[6,12]) tuple(small)\n"
      "b = (f8e4m3fn[6,12]) opt-barrier(t)\n"
      "in = f8e4m3fn[6,12] get-tuple-element(b), index=0\n"
      "all = f8e4m3fn[24,12] all-gather(in), dimensions={0}" +
      kOverAll +
      "\n"
      "u = (f8e4m3fn[24,12]) tuple(all)\n"
      "c = (f8e4m3fn[24,12]) opt-barrier(u)\n"
      "out = f8e4m3fn[24,12] get-tuple-element(c), index=0\n"
      "ROOT y = bf16[24,12] convert(out)\n");
  for (Numerics numerics : {Numerics::kExact, Numerics::kReassoc}) {
    Options options;
    options.numerics = numerics;
    CHECK(Optimized(text, options).is_unchanged());
  }
  CHECK(greedily(text) == text);
}

TEST_CASE("case 11: one layer of a stack is picked before it is gathered") {
  Optimized out(
      program("stack = f32[7,4,6] parameter(0)\n"
              "layer = s32[] parameter(1), sharding={replicated}\n"
              "zero = s32[] constant(0)\n"
              "column = s32[] constant(1)\n"
              "all = f32[7,16,6] all-gather(stack), dimensions={1}" +
              in_groups("{{0,1,2,3}}", 8) +
              "\n"
              "ROOT w = f32[1,16,3] dynamic-slice(all, layer, zero, column), "
              "dynamic_slice_sizes={1,16,3}\n"));
  CHECK(out.root().opcode == Opcode::kAllGather);
  CHECK(out.shape_of_one(Opcode::kAllGather) == "f32[1,16,3]");
  CHECK(out.shape_of_one(Opcode::kDynamicSlice) == "f32[1,4,3]");
  CHECK(out.channels() == std::vector<int64_t>{8});
  CHECK(out.result.input_cost.plain.gathered_bytes == 7 * 16 * 6 * 4);
  CHECK(out.result.output_cost.plain.gathered_bytes == 16 * 3 * 4);
}

TEST_CASE("case 12: where each device picks its own layer, it picks from what was gathered") {
  const std::string text = program(
      "stack = f32[4,3,6] parameter(0)\n"
      "pid = u32[] partition-id()\n"
      "mine = s32[] convert(pid)\n"
      "zero = s32[] constant(0)\n"
      "all = f32[4,12,6] all-gather(stack), dimensions={1}" +
      kOverAll +
      "\n"
      "ROOT w = f32[1,12,2] dynamic-slice(all, mine, zero, zero), "
      "dynamic_slice_sizes={1,12,2}\n");
  CHECK(Optimized(text).is_unchanged());
  CHECK(greedily(text) == text);
}

TEST_CASE("case 13: one's own shard of a gather is what one put in") {
  Optimized out(
      program("x = f32[3,2,10] parameter(0)\n"
              "all = f32[12,2,10] all-gather(x), dimensions={0}" +
              kOverAll +
              "\n"
              "pid = u32[] partition-id()\n"
              "p = s32[] convert(pid)\n"
              "three = s32[] constant(3)\n"
              "start = s32[] multiply(p, three)\n"
              "zero = s32[] constant(0)\n"
              "mine = f32[3,2,10] dynamic-slice(all, start, zero, zero), "
              "dynamic_slice_sizes={3,2,10}\n"
              "ROOT out = (f32[3,2,10], f32[12,2,10]) tuple(mine, all)\n"));
  CHECK(out.all(Opcode::kDynamicSlice).empty());
  CHECK(out.operand(out.root(), 0).name == "x");
  CHECK(contains(out.text, "all = f32[12,2,10] all-gather(x), dimensions={0}"));
  CHECK(out.operand(out.root(), 1).name == "all");
}

const std::string kGradientLoop = R"(HloModule gradients, num_partitions=2

plus {
  l = f32[] parameter(0)
  r = f32[] parameter(1)
  ROOT s = f32[] add(l, r)
}

more {
  state = (s32[], f32[6,4], f32[4,3], f32[4,3]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  n = s32[] constant(5)
  ROOT go = pred[] compare(i, n), direction=LT
}

step {
  state = (s32[], f32[6,4], f32[4,3], f32[4,3]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  g = f32[6,4] get-tuple-element(state), index=1
  first = f32[4,3] get-tuple-element(state), index=2
  second = f32[4,3] get-tuple-element(state), index=3
  one = s32[] constant(1)
  next = s32[] add(i, one)
  doubled = f32[6,4] add(g, g)
  part = f32[3,4] reduce-scatter(doubled), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, dimensions={0}, to_apply=plus
  turned = f32[4,3] transpose(part), dimensions={1,0}
  first_next = f32[4,3] add(turned, first)
  minus = f32[6,4] negate(g)
  pair = (f32[3,4], f32[3,4]) reduce-scatter(g, minus), channel_id=2, replica_groups={{0,1}}, use_global_device_ids=true, dimensions={0}, to_apply=plus
  half = f32[3,4] get-tuple-element(pair), index=1
  half_turned = f32[4,3] transpose(half), dimensions={1,0}
  second_next = f32[4,3] add(half_turned, second)
  ROOT state_next = (s32[], f32[6,4], f32[4,3], f32[4,3]) tuple(next, g, first_next, second_next)
}

ENTRY train {
  start = (s32[], f32[6,4], f32[4,3], f32[4,3]) parameter(0)
  ROOT end = (s32[], f32[6,4], f32[4,3], f32[4,3]) while(start), condition=more, body=step
}
)";

TEST_CASE("case 14: transposes pass the scatters in a loop, which then share a launch") {
  Optimized out(kGradientLoop);
  // Of the pair only one element is read.
  CHECK(out.result.input_cost.plain.launches == 2);
  CHECK(out.result.output_cost.plain.launches == 1);
  CHECK(out.all(Opcode::kReduceScatter).size() == 2);
  Saturated run(kGradientLoop);
  CHECK(run.holds("turned", "reduce-scatter{1}(f32[4,6] transpose{1,0}(doubled))"));
  run.check_form("half_turned", "reduce-scatter{1}(transpose{1,0}(minus))");
  std::string greedy = greedily(kGradientLoop);
  CHECK(contains(greedy, "f32[4,3] reduce-scatter("));
  CHECK(contains(greedy, "pair = (f32[3,4], f32[3,4]) reduce-scatter(g, minus)"));
}

TEST_CASE("case 15: literals of every kind and comments survive; a widening stays behind") {
  const std::string text = R"(// a comment first
/* and one
   over two lines */
HloModule zoo, entry_computation_layout={(bf16[3,2]{1,0})->(f32[6,2]{1,0}, f32[2,2]{1,0}, s32[3]{0}, pred[2]{0}, f32[4]{0}, /*index=5*/c64[1]{0})}, num_partitions=2

ENTRY %main.7 (p.1: bf16[3,2]) -> (f32[6,2], f32[2,2], s32[3], pred[2], f32[4], /*index=5*/c64[1]) {
  %p.1 = bf16[3,2]{1,0} parameter(0)
  %all.2 = bf16[6,2]{1,0} all-gather(bf16[3,2]{1,0} %p.1), channel_id=1, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true
  %wide.3 = f32[6,2]{1,0} convert(bf16[6,2]{1,0} %all.2)
  nested = f32[2,2]{1,0} constant({ { -0, 3.5 }, { 2e-07, -1e+20 } })
  whole = s32[3]{0} constant({2147483647, -2147483648, 0})
  truth = pred[2]{0} constant({true, 0})
  special = f32[4]{0} constant({nan, inf, -inf, 1.17549435e-38})
  pair = c64[1]{0} constant({(0.5, -2)})
  ROOT %t.8 = (f32[6,2]{1,0}, f32[2,2]{1,0}, s32[3]{0}, pred[2]{0}, f32[4]{0}, /*index=5*/c64[1]{0})
      tuple(f32[6,2]{1,0} %wide.3, f32[2,2]{1,0} %nested, s32[3]{0} %whole,
            pred[2]{0} %truth, f32[4]{0} %special, /*index=5*/c64[1]{0} %pair)
}
)";
  Optimized out(text);
  CHECK(out.is_unchanged());
  CHECK(Saturated(text).holds("wide.3", "all-gather{0}(f32[3,2] convert(p.1))"));
}

std::string counting_loop(const std::string& type, const std::string& wide) {
  return "HloModule loop, num_partitions=4\n\nplus {\n  l = " + type +
         "[] parameter(0)\n  r = " + type + "[] parameter(1)\n  ROOT s = " + type +
         "[] add(l, r)\n}\n\nmore {\n  state = (s32[], " + type + "[9,4], " + wide +
         "[9,4]) parameter(0)\n" + R"(  i = s32[] get-tuple-element(state), index=0
  n = s32[] constant(6)
  ROOT go = pred[] compare(i, n), direction=LT
}

step {
)" + "  state = (s32[], " +
         type + "[9,4], " + wide + "[9,4]) parameter(0)\n" +
         R"(  i = s32[] get-tuple-element(state), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
)" +
         "  g = " + type + "[9,4] get-tuple-element(state), index=1\n  sum = " + wide +
         "[9,4] get-tuple-element(state), index=2\n  all = " + type +
         "[9,4] all-reduce(g), channel_id=1, replica_groups={{0,1,2,3}}, "
         "use_global_device_ids=true, to_apply=plus\n  turned = " +
         wide + "[9,4] convert(all)\n  sum_next = " + wide +
         "[9,4] add(sum, turned)\n  ROOT t = (s32[], " + type + "[9,4], " + wide +
         "[9,4]) tuple(next, g, sum_next)\n}\n\nENTRY run {\n  start = (s32[], " + type +
         "[9,4], " + wide + "[9,4]) parameter(0)\n  ROOT end = (s32[], " + type + "[9,4], " + wide +
         "[9,4]) while(start), condition=more, body=step\n}\n";
}

TEST_CASE("case 16: a narrow sum may be made wide where that is asked for, at twice the bytes") {
  const std::string text = counting_loop("bf16", "f32");
  CHECK(Optimized(text).is_unchanged());
  Options precise;
  precise.numerics = Numerics::kPrecise;
  Optimized out(text, precise);
  CHECK(out.is_unchanged());
  CHECK(out.kept("reduce-convert", "cost"));
  CHECK(greedily(text) == text);
  std::string greedy = greedily(text, {.numerics = Numerics::kPrecise});
  CHECK(contains(greedy, "f32[9,4] all-reduce("));
  CHECK(contains(greedy, "channel_id=1,"));
  CHECK_FALSE(contains(greedy, "bf16[9,4] all-reduce("));
  CHECK(out.result.greedy_cost.plain.reduced_bytes ==
        2 * out.result.input_cost.plain.reduced_bytes);
}

TEST_CASE("case 17: what the author made wide before the sum stays wide, in every class") {
  const std::string text = program(
      "g = bf16[8,6] parameter(0)\n"
      "h = bf16[8,6] parameter(1)\n"
      "gw = f32[8,6] convert(g)\n"
      "hw = f32[8,6] convert(h)\n"
      "gs = f32[8,6] all-reduce(gw), to_apply=add_f32" +
      in_groups("{{0,1,2,3}}", 1) +
      "\n"
      "hs = f32[2,6] reduce-scatter(hw), to_apply=add_f32, dimensions={0}" +
      in_groups("{{0,1,2,3}}", 2) +
      "\n"
      "ROOT out = (f32[8,6], f32[2,6]) tuple(gs, hs)\n");
  for (Numerics numerics :
       {Numerics::kExact, Numerics::kPrecise, Numerics::kReassoc, Numerics::kFast}) {
    for (auto objective : {extract::Objective::kTime, extract::Objective::kBytes}) {
      Options options;
      options.numerics = numerics;
      options.cost.objective = objective;
      CHECK(Optimized(text, options).is_unchanged());
    }
  }
}

TEST_CASE("case 18: a sum is not truncated term by term, in any class") {
  const std::string text = counting_loop("f32", "s32");
  for (Numerics numerics : {Numerics::kExact, Numerics::kPrecise, Numerics::kReassoc}) {
    Options options;
    options.numerics = numerics;
    CHECK(Optimized(text, options).is_unchanged());
    CHECK(greedily(text, {.numerics = numerics}) == text);
  }
}

TEST_CASE("case 19: a token that threads collectives together keeps their order") {
  const std::string text = R"(HloModule threaded, replica_count=2

plus {
  l = bf16[] parameter(0)
  r = bf16[] parameter(1)
  ROOT s = bf16[] add(l, r)
}

ENTRY step {
  g = bf16[6,5] parameter(0)
  w = bf16[3,5] parameter(1)
  token = bf16[] parameter(2)
  scattered = (bf16[3,5], bf16[]) reduce-scatter(g, token), replica_groups={{0,1}}, dimensions={0}, to_apply=plus
  part = bf16[3,5] get-tuple-element(scattered), index=0
  token_1 = bf16[] get-tuple-element(scattered), index=1
  w_next = bf16[3,5] subtract(w, part)
  one = (bf16[6,5], bf16[]) all-gather(w_next, token_1), replica_groups={{0,1}}, dimensions={0}
  w_all = bf16[6,5] get-tuple-element(one), index=0
  token_2 = bf16[] get-tuple-element(one), index=1
  two = (bf16[6,5], bf16[]) all-gather(part, token_2), replica_groups={{0,1}}, dimensions={0}
  part_all = bf16[6,5] get-tuple-element(two), index=0
  token_3 = bf16[] get-tuple-element(two), index=1
  flat = bf16[30] reshape(w_all)
  ROOT out = (bf16[30], bf16[6,5], bf16[]) tuple(flat, part_all, token_3)
}
)";
  Optimized out(text);
  CHECK(out.is_unchanged());
  CHECK(out.notes_say("3 collectives are left alone: a scalar beside arrays"));
  CHECK(greedily(text) == text);
}

TEST_CASE(
    "case 20: reducers are what they compute; what depends on another is not combined with it") {
  const std::string text = R"(HloModule chains, num_partitions=4

sum {
  l = f32[] parameter(0)
  r = f32[] parameter(1)
  ROOT s = f32[] add(l, r)
}

total.copy {
  u = f32[] parameter(0)
  v = f32[] parameter(1)
  ROOT w = f32[] add(v, u)
}

ENTRY main {
  x = f32[20] parameter(0)
  y = f32[20] parameter(1)
  x1 = f32[20] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=sum
  xm = f32[20] negate(x1)
  x2 = f32[20] all-reduce(xm), channel_id=2, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=sum
  y1 = f32[20] all-reduce(y), channel_id=3, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=total.copy
  ym = f32[20] negate(y1)
  y2 = f32[20] all-reduce(ym), channel_id=4, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=total.copy
  ROOT out = (f32[20], f32[20]) tuple(x2, y2)
}
)";
  Optimized out(text);
  CHECK(out.is_unchanged());
  REQUIRE(out.result.input_cost.keys.size() == 1);
  CHECK(out.result.input_cost.keys[0].count == 4);
  hlo::Module module = frontends::read_text(text, "in.hlo");
  hlo::CallGraph calls(module);
  for (const hlo::Launch& launch :
       hlo::simulate_combiner(module, out.result.counts, calls, hlo::combiner_preset("neuron"))) {
    std::set<std::string> names;
    for (hlo::InstructionId member : launch.members) names.insert(module[member].name);
    CHECK_FALSE((names.count("x1") && names.count("x2")));
    CHECK_FALSE((names.count("y1") && names.count("y2")));
  }
}

TEST_CASE(
    "what no order of one sweep reaches: the passes that one side needs are the wrong way round") {
  const std::string text = program(
      "a = f32[5,6] parameter(0)\n"
      "b = f32[5,6] parameter(1)\n"
      "ga = f32[20,6] all-gather(a), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 1) +
      "\n"
      "gb = f32[20,6] all-gather(b), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 2) +
      "\n"
      "ra = f32[120] reshape(ga)\n"
      "ca = bf16[120] convert(ra)\n"
      "cb = bf16[20,6] convert(gb)\n"
      "rb = bf16[120] reshape(cb)\n"
      "ROOT s = bf16[120] add(ca, rb)\n");
  Optimized out(text);
  CHECK(out.shape_of_one(Opcode::kAllGather) == "bf16[120]");
  CHECK(out.result.origin == Origin::kEGraph);

  std::vector<std::string> order = passes::registry_order();
  std::sort(order.begin(), order.end());
  int orders = 0;
  size_t fewest = 2;
  do {
    hlo::Module module = frontends::read_text(text, "in.hlo");
    passes::run_greedy(module, {.order = order, .sweeps = passes::Sweeps::kOnce});
    size_t gathers = 0;
    for (hlo::InstructionId id : module.entry_computation().instructions) {
      gathers += module[id].opcode == Opcode::kAllGather;
    }
    fewest = std::min(fewest, gathers);
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(orders == 720);
  CHECK(fewest == 2);
}

}  // namespace
}  // namespace flipsat::optimizer::testing
