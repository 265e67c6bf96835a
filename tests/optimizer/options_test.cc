// Promises about options, and about modules that are not to be changed.
#include "hlo/input_error.h"
#include "rules/text/family.h"
#include "rules/text/reader.h"
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::Numerics;
using hlo::Opcode;

const std::string kNarrowed = program(
    "x = f32[40,8] parameter(0)\n"
    "g = f32[160,8] all-gather(x), dimensions={0}" +
    kOverAll +
    "\n"
    "ROOT r = bf16[160,8] convert(g)\n");

double gain_in_percent(const Optimized& out) {
  const double before = static_cast<double>(out.result.input_cost.time);
  return 100 * (before - static_cast<double>(out.result.output_cost.time)) / before;
}

TEST_CASE("options: --min-gain changes nothing for less, and says that there was something") {
  double gain = gain_in_percent(Optimized(kNarrowed));
  REQUIRE(gain > 0);
  Options options;
  options.min_gain = gain * 0.99;
  CHECK_FALSE(Optimized(kNarrowed, options).is_unchanged());
  options.min_gain = gain * 1.01;
  Optimized kept(kNarrowed, options);
  CHECK(kept.is_unchanged());
  CHECK(kept.notes_say("--min-gain"));
}

// To share a key with the f32 gather, the s8 shard is widened before it is gathered.
const std::string kWidened = program(
    "x = s8[64,64] parameter(0)\n"
    "y = f32[64,64] parameter(1)\n"
    "gx = s8[128,64] all-gather(x), dimensions={0}" +
        in_groups("{{0,1}}", 1) +
        "\n"
        "gy = f32[128,64] all-gather(y), dimensions={0}" +
        in_groups("{{0,1}}", 2) +
        "\n"
        "wx = f32[128,64] convert(gx)\n"
        "ROOT t = (f32[128,64], f32[128,64]) tuple(wx, gy)\n",
    "num_partitions=2");

TEST_CASE("options: --max-peak-growth forgoes what would hold more at once") {
  Optimized free(kWidened);
  REQUIRE_FALSE(free.is_unchanged());
  double growth = 100 * (static_cast<double>(free.result.output_cost.peak_bytes) /
                             static_cast<double>(free.result.input_cost.peak_bytes) -
                         1);
  REQUIRE(growth > 0);
  Options options;
  options.max_peak_growth = growth + 1;
  CHECK(Optimized(kWidened, options).text == free.text);
  options.max_peak_growth = 0;
  Optimized bounded(kWidened, options);
  CHECK(bounded.is_unchanged());
  CHECK(bounded.notes_say("--max-peak-growth"));
}

TEST_CASE("options: objectives are followed where they disagree") {
  CHECK(Optimized(kWidened).result.output_cost.plain.launches == 1);
  Options launches;
  launches.cost.objective = extract::Objective::kLaunches;
  Optimized fewest(kWidened, launches);
  CHECK(fewest.result.output_cost.executed.launches == 1);
  Options bytes;
  bytes.cost.objective = extract::Objective::kBytes;
  Optimized least(kWidened, bytes);
  CHECK(least.is_unchanged());
  CHECK(least.result.output_cost.executed.launches == 2);
}

const std::string kOwnShard = program(
    "x = f32[8,6] parameter(0)\n"
    "pid = u32[] partition-id()\n"
    "two = u32[] constant(2)\n"
    "zero = u32[] constant(0)\n"
    "start = u32[] multiply(pid, two)\n"
    "s = f32[8,6] all-reduce(x), to_apply=add_f32" +
    kOverAll +
    "\n"
    "ROOT r = f32[2,6] dynamic-slice(s, start, zero), dynamic_slice_sizes={2,6}\n");

TEST_CASE("options: the headroom counts rules written as text, too") {
  Options options;
  options.only = {"my-narrowing"};
  for (const auto& rule : rules::text::read_rules(
           "rule my-narrowing class reassoc\n"
           "  convert[t](all-gather[d, G](x)) => all-gather[d, G](convert[t](x))\n",
           "my.rules")) {
    options.more_rules.push_back(rules::text::family_of(rule));
  }
  Optimized exact(kNarrowed, options);
  CHECK(exact.is_unchanged());
  REQUIRE(exact.result.headroom.size() == 1);
  options.numerics = Numerics::kReassoc;
  Optimized out(kNarrowed, options);
  CHECK(out.rules() == std::vector<std::string>{"my-narrowing"});
  CHECK(exact.result.headroom[0].numerics == Numerics::kReassoc);
  CHECK(exact.result.headroom[0].cost.time == out.result.output_cost.time);
}

TEST_CASE("options: a change that relies on an open order is counted, and --bitwise has none") {
  Optimized open(kOwnShard);
  CHECK(open.root().opcode == Opcode::kReduceScatter);
  CHECK(open.result.order_open == 1);
  Options options;
  options.bitwise = true;
  Optimized out(kOwnShard, options);
  CHECK(out.is_unchanged());
  CHECK(out.result.order_open == 0);
}

TEST_CASE("options: --disable and --only bind the e-graph and the greedy order alike") {
  Options options;
  options.disable = {"gather-convert"};
  CHECK(Optimized(kNarrowed, options).is_unchanged());
  options = {};
  options.only = {"gather-reshape"};
  Optimized other(kNarrowed, options);
  CHECK(other.is_unchanged());
  CHECK(other.result.greedy_cost.time == other.result.input_cost.time);
  for (const RuleReport& rule : other.result.rules) CHECK(rule.name == "gather-reshape");
  options.only = {"gather-convert"};
  CHECK(Optimized(kNarrowed, options).rules() == std::vector<std::string>{"gather-convert"});
}

TEST_CASE("options: --numerics precise widens a sum where that pays, and nowhere else") {
  const std::string two_keys = program(
      "x = bf16[16,16] parameter(0)\n"
      "y = f32[16,16] parameter(1)\n"
      "sx = bf16[16,16] all-reduce(x), to_apply=add_bf16" +
      in_groups("{{0,1,2,3}}", 1) +
      "\n"
      "sy = f32[16,16] all-reduce(y), to_apply=add_f32" +
      in_groups("{{0,1,2,3}}", 2) +
      "\n"
      "wx = f32[16,16] convert(sx)\n"
      "ROOT t = (f32[16,16], f32[16,16]) tuple(wx, sy)\n");
  CHECK(Optimized(two_keys).is_unchanged());
  Options precise;
  precise.numerics = Numerics::kPrecise;
  Optimized out(two_keys, precise);
  CHECK(out.result.output_cost.plain.launches == 1);
  for (const hlo::Instruction* sum : out.all(Opcode::kAllReduce)) {
    CHECK(sum->shape.type == hlo::ElementType::kF32);
  }
  std::vector<int64_t> channels = out.channels();
  std::sort(channels.begin(), channels.end());
  CHECK(channels == std::vector<int64_t>{1, 2});

  const std::string one_key = program(
      "x = bf16[16,16] parameter(0)\n"
      "sx = bf16[16,16] all-reduce(x), to_apply=add_bf16" +
      kOverAll +
      "\n"
      "ROOT wx = f32[16,16] convert(sx)\n");
  CHECK(Optimized(one_key, precise).is_unchanged());

  // What was not asked for is told, and not done.
  const Optimized exact(two_keys);
  REQUIRE(exact.result.headroom.size() == 2);
  CHECK(exact.result.headroom[0].numerics == Numerics::kPrecise);
  CHECK(exact.result.headroom[0].cost.time == out.result.output_cost.time);
  CHECK(exact.result.headroom[1].numerics == Numerics::kReassoc);
  CHECK(exact.result.output_cost.time == exact.result.input_cost.time);
  CHECK(out.result.headroom.empty());
  CHECK(Optimized(one_key).result.headroom.empty());
  Options silent;
  silent.headroom = false;
  CHECK(Optimized(two_keys, silent).result.headroom.empty());
}

TEST_CASE("options: a wider sum below a slice becomes a wider scatter, under precise alone") {
  const std::string text = program(
      "x = bf16[4096,1024] parameter(0)\n"
      "s = bf16[4096,1024] all-reduce(x), to_apply=add_bf16" +
      kOverAll +
      "\n"
      "w = f32[4096,1024] convert(s)\n"
      "table = s32[4] constant({0, 1024, 2048, 3072})\n"
      "id = u32[] partition-id()\n"
      "entry = s32[1] dynamic-slice(table, id), dynamic_slice_sizes={1}\n"
      "start = s32[] reshape(entry)\n"
      "zero = s32[] constant(0)\n"
      "ROOT r = f32[1024,1024] dynamic-slice(w, start, zero), "
      "dynamic_slice_sizes={1024,1024}\n");
  Options options;
  options.disable = {"reduce-scatter-gather"};  // which scatters the narrow one
  CHECK(Optimized(text, options).is_unchanged());
  options.numerics = Numerics::kPrecise;
  Optimized out(text, options);
  CHECK(out.all(Opcode::kReduceScatter).size() == 1);
  CHECK(out.all(Opcode::kAllReduce).empty());
  CHECK(out.result.order_open == 1);
  options.bitwise = true;
  CHECK(Optimized(text, options).all(Opcode::kReduceScatter).empty());
}

TEST_CASE("options: a sum that is read twice is not made twice, each time in its own order") {
  // Each device keeps two overlapping shards: as scatters they would be two sums.
  const auto shards = [](const std::string& type) {
    return program("x = " + type +
                   "[65536] parameter(0)\n"
                   "s = " +
                   type + "[65536] all-reduce(x), to_apply=add_" + type + kOverAll +
                   "\n"
                   "id = u32[] partition-id()\n"
                   "size = u32[] constant(4096)\n"
                   "o = u32[] multiply(id, size)\n"
                   "half = u32[] constant(2048)\n"
                   "o2 = u32[] add(o, half)\n"
                   "a = " +
                   type +
                   "[4096] dynamic-slice(s, o), dynamic_slice_sizes={4096}\n"
                   "b = " +
                   type +
                   "[4096] dynamic-slice(s, o2), dynamic_slice_sizes={4096}\n"
                   "ROOT r = (" +
                   type + "[4096], " + type + "[4096]) tuple(a, b)\n");
  };
  Options options;
  options.cost.objective = extract::Objective::kBytes;
  const Optimized floats(shards("f32"), options);
  CHECK(floats.is_unchanged());
  CHECK(floats.notes_say("would be made more than once"));
  // The order of integers does not show.
  CHECK(Optimized(shards("s32"), options).all(Opcode::kReduceScatter).size() == 2);
  options.numerics = Numerics::kReassoc;
  CHECK(Optimized(shards("f32"), options).all(Opcode::kReduceScatter).size() == 2);
}

TEST_CASE("options: of a sum that a token is threaded through, the own shard is a scatter") {
  const auto reduced = [](const std::string& kept) {
    return program(
        "x = f32[65536,64] parameter(0)\n"
        "token = f32[] parameter(1)\n"
        "all = (f32[65536,64], f32[]) all-reduce(x, token), to_apply=add_f32" +
        std::string(kOverAll) +
        "\n"
        "s = f32[65536,64] get-tuple-element(all), index=0\n"
        "t = f32[] get-tuple-element(all), index=1\n"
        "id = u32[] partition-id()\n"
        "size = u32[] constant(16384)\n"
        "zero = u32[] constant(0)\n"
        "o = u32[] multiply(id, size)\n"
        "own = f32[16384,64] dynamic-slice(s, o, zero), dynamic_slice_sizes={16384,64}\n" +
        kept);
  };
  const Optimized out(reduced("ROOT r = (f32[16384,64], f32[]) tuple(own, t)\n"));
  REQUIRE(out.all(Opcode::kReduceScatter).size() == 1);
  REQUIRE(out.all(Opcode::kAllReduce).size() == 1);
  CHECK(out.all(Opcode::kAllReduce)[0]->shape.rank() == 0);
  // Another part of the same sum: two scatters would be two sums.
  const std::string halves = reduced(
      "part = u32[] constant(8192)\n"
      "o2 = u32[] add(o, part)\n"
      "other = f32[16384,64] dynamic-slice(s, o2, zero), dynamic_slice_sizes={16384,64}\n"
      "ROOT r = (f32[16384,64], f32[16384,64], f32[]) tuple(own, other, t)\n");
  const Optimized both(halves);
  CHECK(both.all(Opcode::kReduceScatter).empty());
  CHECK(both.all(Opcode::kAllReduce).size() == 1);
}

TEST_CASE("options: of a narrow sum below a convert, the own shard is a narrow scatter") {
  const Optimized out(
      program("x = bf16[65536] parameter(0)\n"
              "s = bf16[65536] all-reduce(x), to_apply=add_bf16" +
              kOverAll +
              "\n"
              "w = f32[65536] convert(s)\n"
              "id = u32[] partition-id()\n"
              "size = u32[] constant(16384)\n"
              "o = u32[] multiply(id, size)\n"
              "ROOT r = f32[16384] dynamic-slice(w, o), dynamic_slice_sizes={16384}\n"));
  REQUIRE(out.all(Opcode::kReduceScatter).size() == 1);
  CHECK(out.all(Opcode::kReduceScatter)[0]->shape.type == hlo::ElementType::kBF16);
  CHECK(out.all(Opcode::kAllReduce).empty());
}

TEST_CASE("options: a sum made in two stages is made once") {
  // Two of four partitions keep each half.
  const std::string text = program(
      "x = f32[65536] parameter(0)\n"
      "s = f32[65536] all-reduce(x), to_apply=add_f32" +
      kOverAll +
      "\n"
      "id = u32[] partition-id()\n"
      "one = u32[] constant(1)\n"
      "half = u32[] and(id, one)\n"
      "size = u32[] constant(32768)\n"
      "o = u32[] multiply(half, size)\n"
      "ROOT r = f32[32768] dynamic-slice(s, o), dynamic_slice_sizes={32768}\n");
  Options options;
  options.cost.objective = extract::Objective::kBytes;
  const Optimized out(text, options);
  CHECK(out.all(Opcode::kReduceScatter).size() == 1);
  CHECK(out.all(Opcode::kAllReduce).size() == 1);
  CHECK(out.result.order_open == 1);
  CHECK_FALSE(out.notes_say("would be made more than once"));
  options.bitwise = true;
  CHECK(Optimized(text, options).is_unchanged());
}

TEST_CASE("options: --assume-replicated is believed") {
  const std::string text = program(
      "stack = f32[7,4,6] parameter(0)\n"
      "layer = s32[] parameter(1)\n"
      "zero = s32[] constant(0)\n"
      "all = f32[7,16,6] all-gather(stack), dimensions={1}" +
      kOverAll +
      "\n"
      "ROOT w = f32[1,16,6] dynamic-slice(all, layer, zero, zero), "
      "dynamic_slice_sizes={1,16,6}\n");
  CHECK(Optimized(text).is_unchanged());
  Options options;
  options.assume_replicated = {"layer"};
  CHECK(Optimized(text, options).shape_of_one(Opcode::kAllGather) == "f32[1,16,6]");
}

TEST_CASE("options: without the greedy order's help the result is no worse than the input") {
  Options options;
  options.greedy_seed = false;
  Optimized out(kNarrowed, options);
  CHECK(out.result.origin == Origin::kEGraph);
}

TEST_CASE("options: a node limit ends the search, and the report says so") {
  Options options;
  options.node_limit = 1;
  Optimized out(kNarrowed, options);
  CHECK(contains(out.result.egraph.stop, "node limit 1"));
  CHECK(out.result.deterministic);
}

TEST_CASE("options: verification is on by default, and off is said") {
  Optimized on(kNarrowed);
  CHECK(on.result.verified.how == "symbolic");
  CHECK(on.result.verified.values > 0);
  CHECK(on.result.verified.elements > 0);
  Options options;
  options.verify = VerifyLevel::kFull;
  Optimized full(kNarrowed, options);
  CHECK(full.text == on.text);
  CHECK(full.result.verified.elements > on.result.verified.elements);
  options.verify = VerifyLevel::kOff;
  Optimized off(kNarrowed, options);
  CHECK(off.text == on.text);
  CHECK(off.result.verified.how == "off");
  CHECK(off.result.verified.values == 0);
}

TEST_CASE("untouchable: a scheduled module") {
  std::string text = kNarrowed;
  text.replace(text.find("num_partitions"), 0, "is_scheduled=true, ");
  Optimized out(text);
  CHECK(out.is_unchanged());
  CHECK(out.notes_say("the module is scheduled"));
}

TEST_CASE("untouchable: a module that is not partitioned yet") {
  const std::string text = program(
      "x = f32[40,8] parameter(0)\n"
      "m = f32[40,8] custom-call(x), custom_call_target=\"Sharding\", "
      "sharding={devices=[4,1]<=[4]}\n"
      "g = f32[160,8] all-gather(m), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = bf16[160,8] convert(g)\n");
  Optimized out(text);
  CHECK(out.is_unchanged());
  CHECK(out.notes_say("not partitioned yet (%m"));
}

TEST_CASE("untouchable: collectives over devices of which the number is not known") {
  const std::string text = program(
      "x = s32[8,6] parameter(0)\n"
      "s = s32[8,6] all-reduce(x), replica_groups={}, "
      "to_apply=add_s32\n"
      "ROOT r = s8[8,6] convert(s)\n",
      "entry_computation_layout={(s32[8,6])->s8[8,6]}");
  Optimized out(text);
  CHECK(out.is_unchanged());
  CHECK(out.notes_say("1 collective is left alone: device count not known"));
  Options options;
  options.devices.replicas = 4;
  CHECK(Optimized(text, options).shape_of_one(Opcode::kAllReduce) == "s8[8,6]");
}

TEST_CASE("the greedy order's changes are told, also where a computation's result is another") {
  Options options;
  options.node_limit = 1;  // leaves the e-graph nothing to offer
  Optimized out(kNarrowed, options);
  REQUIRE(out.result.origin == Origin::kGreedy);
  REQUIRE(out.result.changes.size() == 1);
  CHECK(out.result.changes[0].at == "%r");
  CHECK(out.result.changes[0].from == std::vector<std::string>{"%g", "%r"});
}

TEST_CASE("untouchable: a malformed module is the user's mistake, with its place") {
  const std::string text = program(
      "x = f32[4,8] parameter(0)\n"
      "g = f32[17,8] all-gather(x), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = bf16[17,8] convert(g)\n");
  CHECK_THROWS_AS(optimize(frontends::read_text(text, "in.hlo"), {}), hlo::InputError);
}

}  // namespace
}  // namespace flipsat::optimizer::testing
