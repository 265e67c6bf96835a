#include "hlo/combiner.h"

#include <limits>

#include "frontends/text/text.h"
#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

using Names = std::vector<std::string>;

// Every launch by the names of its members.
std::vector<Names> launches(const std::string& text, const CombinerOptions& options) {
  Module module = frontends::read_text(text, "test.hlo");
  CallGraph calls(module);
  std::vector<Names> names;
  for (const Launch& launch :
       simulate_combiner(module, infer_device_counts(module, {}), calls, options)) {
    Names& members = names.emplace_back();
    for (InstructionId id : launch.members) members.push_back(module[id].name);
  }
  return names;
}

std::vector<Names> launches(const std::string& text) {
  return launches(text, combiner_preset("neuron"));
}

CombinerOptions neuron_with(int64_t bytes, int64_t count) {
  CombinerOptions options = combiner_preset("neuron");
  options.all_gather = options.all_reduce = options.reduce_scatter = {true, bytes, count};
  return options;
}

const std::string kHeader = R"(HloModule test, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

add16 {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}

max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] maximum(a, b)
}

first {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, a)
}

add_by_way_of_f32 {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  wide_a = f32[] convert(a)
  wide_b = f32[] convert(b)
  s = f32[] add(wide_a, wide_b)
  ROOT narrow = bf16[] convert(s)
}

)";

std::string entry(const std::string& body) {
  return kHeader + "ENTRY main {\n  x = f32[32] parameter(0)\n  y = f32[32] parameter(1)\n" + body +
         "}\n";
}

const std::string kGroups =
    ", channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true";

std::string all_reduce(const std::string& name, const std::string& operand,
                       const std::string& more = "") {
  return "  " + name + " = f32[32] all-reduce(" + operand + "), to_apply=add" + kGroups + more +
         "\n";
}

const std::string kTuple = "  ROOT t = (f32[32], f32[32]) tuple(r1, r2)\n";

TEST_CASE("combiner: two of 128 bytes join under 256, not under 255") {
  std::string text = entry(all_reduce("r1", "x") + all_reduce("r2", "y") + kTuple);
  CHECK(launches(text, neuron_with(256, 256)) == std::vector<Names>{{"r1", "r2"}});
  CHECK(launches(text, neuron_with(255, 256)) == std::vector<Names>{{"r1"}, {"r2"}});
  CHECK(launches(text, neuron_with(0, 256)) == std::vector<Names>{{"r1"}, {"r2"}});
}

TEST_CASE("combiner: the count limit closes a batch") {
  std::string text = entry(all_reduce("r1", "x") + all_reduce("r2", "y") + all_reduce("r3", "x") +
                           all_reduce("r4", "y") + all_reduce("r5", "x") +
                           "  ROOT t = (f32[32], f32[32], f32[32], f32[32], f32[32]) "
                           "tuple(r1, r2, r3, r4, r5)\n");
  CHECK(launches(text, neuron_with(1 << 20, 2)) ==
        std::vector<Names>{{"r1", "r2"}, {"r3", "r4"}, {"r5"}});
}

TEST_CASE("combiner: one that is too large stands alone and stops nobody; one that fits may") {
  std::string text = entry(all_reduce("r1", "x") + R"(  z = f32[96] parameter(2)
  big = f32[96] all-reduce(z), to_apply=add)" +
                           kGroups + "\n" + all_reduce("r2", "y") +
                           "  ROOT t = (f32[32], f32[96], f32[32]) tuple(r1, big, r2)\n");
  CHECK(launches(text, neuron_with(300, 256)) == std::vector<Names>{{"r1", "r2"}, {"big"}});
  CHECK(launches(text, neuron_with(400, 256)) == std::vector<Names>{{"r1"}, {"big"}, {"r2"}});
}

TEST_CASE("combiner: what depends on a taken one closes the batch") {
  std::string text = entry(all_reduce("r1", "x") + all_reduce("r2", "r1") + kTuple);
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"r2"}});
}

TEST_CASE("combiner: interleaved chains make three batches where two would do") {
  std::string text =
      entry(all_reduce("a1", "x") + all_reduce("a2", "a1") + all_reduce("b1", "y") +
            all_reduce("b2", "b1") + "  ROOT t = (f32[32], f32[32]) tuple(a2, b2)\n");
  CHECK(launches(text) == std::vector<Names>{{"a1"}, {"a2", "b1"}, {"b2"}});
}

TEST_CASE("combiner: a merge of one key may forbid a merge of another") {
  std::string text = entry(R"(  a1 = f32[32] all-reduce(x), to_apply=add)" + kGroups + R"(
  b1 = f32[32] all-reduce(a1), to_apply=max)" +
                           kGroups + R"(
  b2 = f32[32] all-reduce(y), to_apply=max)" +
                           kGroups + R"(
  a2 = f32[32] all-reduce(b2), to_apply=add)" +
                           kGroups + R"(
  ROOT t = (f32[32], f32[32]) tuple(b1, a2)
)");
  CHECK(launches(text) == std::vector<Names>{{"a1", "a2"}, {"b1"}, {"b2"}});
}

TEST_CASE("combiner: a dependency through another opcode's batch counts") {
  // Merging the gathers makes r2 depend on r1, by way of g2.
  std::string text = entry(all_reduce("r1", "x") +
                           R"(  g1 = f32[128] all-gather(y), dimensions={0})" + kGroups + R"(
  g2 = f32[128] all-gather(r1), dimensions={0})" +
                           kGroups + R"(
  s = f32[32] slice(g1), slice={[0:32]}
)" + all_reduce("r2", "s") +
                           "  ROOT t = (f32[32], f32[128], f32[32]) tuple(r1, g2, r2)\n");
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"g2", "g1"}, {"r2"}});
}

TEST_CASE("combiner: groups keep reductions apart, however they are spelled") {
  auto two = [](const std::string& first, const std::string& second) {
    auto one = [](const std::string& name, const std::string& operand, const std::string& groups) {
      return "  " + name + " = f32[32] all-reduce(" + operand +
             "), to_apply=add, channel_id=1, use_global_device_ids=true, replica_groups=" + groups +
             "\n";
    };
    return launches(entry(one("r1", "x", first) + one("r2", "y", second) + kTuple)).size();
  };
  CHECK(two("{{0,1},{2,3}}", "[2,2]<=[4]") == 1);
  CHECK(two("{{0,1},{2,3}}", "{{0,2},{1,3}}") == 2);
  CHECK(two("{{0,1},{2,3}}", "{{2,3},{0,1}}") == 2);
  CHECK(two("[2,2]<=[2,2]T(1,0)", "{{0,2},{1,3}}") == 1);
}

TEST_CASE("combiner: channels count by being there") {
  auto two = [](const std::string& first, const std::string& second) {
    auto one = [](const std::string& name, const std::string& operand, const std::string& more) {
      return "  " + name + " = f32[32] all-reduce(" + operand + "), to_apply=add" + more + "\n";
    };
    return launches(entry(one("r1", "x", first) + one("r2", "y", second) + kTuple)).size();
  };
  CHECK(two(", replica_groups={}, channel_id=1", ", replica_groups={}, channel_id=7") == 1);
  CHECK(two(", replica_groups={}, channel_id=1", ", replica_groups={}") == 2);
  CHECK(two(", replica_groups={{0}}, channel_id=1",
            ", replica_groups={{0}}, channel_id=1, use_global_device_ids=true") == 2);
}

TEST_CASE("combiner: control dependencies keep a collective out") {
  std::string text = entry(all_reduce("r1", "x") + all_reduce("r2", "y") +
                           "  n = f32[32] negate(y), control-predecessors={r1}\n" + kTuple);
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"r2"}});
  text = entry("  n = f32[32] negate(y)\n" + all_reduce("r1", "x", ", control-predecessors={n}") +
               all_reduce("r2", "y") + kTuple);
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"r2"}});
}

TEST_CASE("combiner: reductions join by their reducer's operation and type, not by the data's") {
  auto two = [](const std::string& type, const std::string& reducer) {
    std::string text =
        entry(all_reduce("r1", "x") + "  c = " + type + "[32] convert(y)\n  r2 = " + type +
              "[32] all-reduce(c), to_apply=" + reducer + kGroups + "\n  ROOT t = (f32[32], " +
              type + "[32]) tuple(r1, r2)\n");
    return launches(text).size();
  };
  CHECK(two("f32", "add") == 1);
  CHECK(two("f32", "max") == 2);
  CHECK(two("bf16", "add16") == 2);
  CHECK(two("bf16", "add") == 1);  // a reducer that a pass forgot to rebuild
}

TEST_CASE("combiner: a reducer of more than three instructions is not known") {
  std::string text = entry(R"(  c = bf16[32] convert(x)
  r1 = bf16[32] all-reduce(c), to_apply=add_by_way_of_f32)" +
                           kGroups + R"(
  r2 = bf16[32] all-reduce(c), to_apply=add_by_way_of_f32)" +
                           kGroups + R"(
  ROOT t = (bf16[32], bf16[32]) tuple(r1, r2)
)");
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"r2"}});
}

TEST_CASE("combiner: scatters want a known reduction, all-reduces only its size") {
  auto two = [](const std::string& reducer) {
    return launches(entry("  r1 = f32[8] reduce-scatter(x), dimensions={0}, to_apply=" + reducer +
                          kGroups + "\n  r2 = f32[8] reduce-scatter(y), dimensions={0}, to_apply=" +
                          reducer + kGroups + "\n  ROOT t = (f32[8], f32[8]) tuple(r1, r2)\n"))
        .size();
  };
  CHECK(two("add") == 1);
  CHECK(two("first") == 2);
  std::string text =
      entry("  r1 = f32[32] all-reduce(x), to_apply=first" + kGroups +
            "\n  r2 = f32[32] all-reduce(y), to_apply=first" + kGroups + "\n" + kTuple);
  CHECK(launches(text).size() == 1);
}

const std::string kFiveGathers = kHeader + R"(ENTRY main {
  x = f32[4,4] parameter(0)
  g1 = f32[16,4] all-gather(x), dimensions={0})" +
                                 kGroups + R"(
  g2 = f32[4,16] all-gather(x), dimensions={1})" +
                                 kGroups + R"(
  g3 = f32[16,4] all-gather(x), dimensions={0})" +
                                 kGroups + R"(
  g4 = f32[4,16] all-gather(x), dimensions={1})" +
                                 kGroups + R"(
  g5 = f32[16,4] all-gather(x), dimensions={0})" +
                                 kGroups + R"(
  ROOT t = (f32[16,4], f32[4,16], f32[16,4], f32[4,16], f32[16,4]) tuple(g1, g2, g3, g4, g5)
}
)";

TEST_CASE("combiner: gathers of different dims stay apart where the backend says so") {
  CHECK(launches(kFiveGathers) == std::vector<Names>{{"g1", "g3", "g5"}, {"g2", "g4"}});
  CHECK(launches(kFiveGathers, combiner_preset("xla-gpu")) ==
        std::vector<Names>{{"g1", "g2", "g3", "g4", "g5"}});
}

TEST_CASE("combiner: so do scatters") {
  std::string text = kHeader + R"(ENTRY main {
  x = f32[16,16] parameter(0)
  s1 = f32[4,16] reduce-scatter(x), dimensions={0}, to_apply=add)" +
                     kGroups + R"(
  s2 = f32[16,4] reduce-scatter(x), dimensions={1}, to_apply=add)" +
                     kGroups + R"(
  ROOT t = (f32[4,16], f32[16,4]) tuple(s1, s2)
}
)";
  CHECK(launches(text) == std::vector<Names>{{"s1"}, {"s2"}});
  CHECK(launches(text, combiner_preset("xla-gpu")) == std::vector<Names>{{"s1", "s2"}});
}

TEST_CASE("combiner: gathers of different types stay apart where the backend says so") {
  std::string text = entry(R"(  c = bf16[32] convert(y)
  g1 = f32[128] all-gather(x), dimensions={0})" +
                           kGroups + R"(
  g2 = bf16[128] all-gather(c), dimensions={0})" +
                           kGroups + R"(
  ROOT t = (f32[128], bf16[128]) tuple(g1, g2)
)");
  CHECK(launches(text) == std::vector<Names>{{"g1"}, {"g2"}});
  CHECK(launches(text, combiner_preset("xla-gpu")) == std::vector<Names>{{"g1", "g2"}});
}

TEST_CASE("combiner: a gather's bytes are those of its result") {
  CombinerOptions options = neuron_with(3 * 256, 256);
  CHECK(launches(kFiveGathers, options).size() == 2);
  options.all_gather.max_bytes = 3 * 256 - 1;
  CHECK(launches(kFiveGathers, options) == std::vector<Names>{{"g1", "g3"}, {"g2", "g4"}, {"g5"}});
}

TEST_CASE("combiner: frontend attributes that mark groups keep others out") {
  auto two = [](const std::string& first, const std::string& second) {
    auto marked = [](const std::string& mark) {
      return mark.empty() ? "" : ", frontend_attributes={" + mark + "}";
    };
    return launches(entry(all_reduce("r1", "x", marked(first)) +
                          all_reduce("r2", "y", marked(second)) + kTuple))
        .size();
  };
  CHECK(two(R"(combiner_key="a")", R"(other="z",combiner_key="a")") == 1);
  CHECK(two(R"(combiner_key="a")", R"(combiner_key="b")") == 2);
  CHECK(two(R"(combiner_key="a")", "") == 2);
  CHECK(two(R"(collective_group_key="a")", "") == 2);
  CHECK(two(R"(anything="a")", "") == 1);
  CHECK(two(R"(_scheduling_group_id="3")", R"(_scheduling_group_id="3")") == 2);
}

TEST_CASE("combiner: one constrained layout stops the whole opcode") {
  std::string text = entry(all_reduce("r1", "x") + all_reduce("r2", "y") +
                           all_reduce("r3", "y", ", constrain_layout=true") + kTuple);
  CHECK(launches(text) == std::vector<Names>{{"r1"}, {"r2"}, {"r3"}});
}

const std::string kLoop = kHeader + R"(body {
  p = (s32[], f32[32], f32[32]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  u = f32[32] get-tuple-element(p), index=1
  v = f32[32] get-tuple-element(p), index=2
  r1 = f32[32] all-reduce(u), to_apply=add)" +
                          kGroups + R"(
  r2 = f32[32] all-reduce(v), to_apply=add)" +
                          kGroups + R"(
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[32], f32[32]) tuple(j, r1, r2)
}

condition {
  p = (s32[], f32[32], f32[32]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY main {
  x = f32[32] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[32], f32[32]) tuple(zero, x, x)
  ROOT w = (s32[], f32[32], f32[32]) while(start), condition=condition, body=body
}
)";

TEST_CASE("combiner: loops are left alone where the backend says so") {
  CombinerOptions options = combiner_preset("neuron");
  CHECK(launches(kLoop, options) == std::vector<Names>{{"r1", "r2"}});
  options.combine_in_loops = false;
  CHECK(launches(kLoop, options) == std::vector<Names>{{"r1"}, {"r2"}});
}

TEST_CASE(
    "combiner: what is combined, asynchronous or scheduled already is launched as it stands") {
  std::string combined =
      entry(R"(  r = (f32[32], f32[32]) all-reduce(x, y), to_apply=add)" + kGroups + "\n" +
            all_reduce("r1", "x") + all_reduce("r2", "y") +
            "  ROOT t = (f32[32], f32[32], (f32[32], f32[32])) tuple(r1, r2, r)\n");
  CHECK(launches(combined) == std::vector<Names>{{"r"}, {"r1", "r2"}});

  std::string asynchronous = entry(R"(  s = f32[32] all-reduce-start(x), to_apply=add)" + kGroups +
                                   R"(
  d = f32[32] all-reduce-done(s)
)" + all_reduce("r1", "y") + "  ROOT t = (f32[32], f32[32]) tuple(d, r1)\n");
  CHECK(launches(asynchronous) == std::vector<Names>{{"s"}, {"r1"}});

  std::string scheduled = entry(all_reduce("r1", "x") + all_reduce("r2", "y") + kTuple);
  scheduled.insert(scheduled.find(", num_partitions"), ", is_scheduled=true");
  CHECK(launches(scheduled) == std::vector<Names>{{"r1"}, {"r2"}});
}

TEST_CASE("combiner: a collective in a wrapped computation is launched at its start") {
  std::string text = kHeader + R"(wrapped {
  p = f32[32] parameter(0)
  ROOT s = f32[8] reduce-scatter(p), dimensions={0}, to_apply=add)" +
                     kGroups + R"(
}

ENTRY main {
  x = f32[32] parameter(0)
  start = ((f32[32]), f32[8]) async-start(x), calls=wrapped
  ROOT done = f32[8] async-done(start)
}
)";
  CHECK(launches(text) == std::vector<Names>{{"start"}});
}

TEST_CASE("combiner: permutes join by their pairs, on backends that combine them") {
  std::string text =
      entry(R"(  p1 = f32[32] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}
  p2 = f32[32] collective-permute(y), channel_id=2, source_target_pairs={{0,1},{1,0}}
  p3 = f32[32] collective-permute(y), channel_id=3, source_target_pairs={{0,2},{2,0}}
  ROOT t = (f32[32], f32[32], f32[32]) tuple(p1, p2, p3)
)");
  CHECK(launches(text).size() == 3);
  CHECK(launches(text, combiner_preset("xla-gpu")) == std::vector<Names>{{"p1", "p2"}, {"p3"}});
}

TEST_CASE("combiner: presets") {
  CHECK(launches(kFiveGathers, combiner_preset("none")).size() == 5);
  CHECK(launches(kFiveGathers, combiner_preset("xla-cpu")).size() == 5);
  std::string text = entry(all_reduce("r1", "x") + all_reduce("r2", "y") + kTuple);
  CHECK(launches(text, combiner_preset("xla-cpu")).size() == 1);
  CHECK(combiner_preset("neuron").all_gather.max_bytes == 1073741824);
  CHECK(combiner_preset("neuron").reduce_scatter.max_count == 256);
  CHECK(combiner_preset("xla-gpu").all_gather.max_bytes == 31457287);
  CHECK(combiner_preset("xla-gpu").collective_permute.max_count == 2048);
  CHECK(combiner_preset("xla-cpu").all_reduce.max_bytes == std::numeric_limits<int64_t>::max());
  CHECK_THROWS_AS(combiner_preset("tpu"), std::invalid_argument);
}

TEST_CASE("combiner: the root may be in a batch") {
  std::string text = entry(all_reduce("r1", "x") + "  n = f32[32] negate(y)\n" +
                           "  ROOT r2 = f32[32] all-reduce(n), to_apply=add" + kGroups + "\n");
  CHECK(launches(text) == std::vector<Names>{{"r1", "r2"}});
}

}  // namespace
}  // namespace flipsat::hlo
