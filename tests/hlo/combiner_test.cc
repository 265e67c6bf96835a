#include "tests/hlo/combiner_text.h"

#include <limits>

#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

using namespace testing;

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

TEST_CASE("combiner: a gather's bytes are those of its result") {
  CombinerOptions options = neuron_with(3 * 256, 256);
  CHECK(launches(kFiveGathers, options).size() == 2);
  options.all_gather.max_bytes = 3 * 256 - 1;
  CHECK(launches(kFiveGathers, options) == std::vector<Names>{{"g1", "g3"}, {"g2", "g4"}, {"g5"}});
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
