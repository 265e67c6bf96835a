#include "extract/program_cost.h"

#include <limits>

#include "extract/machine_model.h"
#include "frontends/text/text.h"
#include "tests/catch.h"

namespace flipsat::extract {
namespace {

using hlo::Opcode;

constexpr const char* kSum = R"(
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
)";

struct Priced {
  hlo::Module module;
  hlo::DeviceCounts counts;
  ProgramCost cost;
};

Priced price(const std::string& text, const std::string& combiner = "neuron",
             const std::string& machine = "trn2") {
  Priced priced;
  priced.module = frontends::read_text(text, "test.hlo");
  priced.counts = hlo::infer_device_counts(priced.module, {});
  CostOptions options;
  options.combiner = hlo::combiner_preset(combiner);
  options.machine = machine;
  priced.cost =
      price_program(priced.module, priced.counts, options, collective_surroundings(priced.module));
  return priced;
}

hlo::DeviceGroups consecutive(int64_t count, int64_t size) {
  hlo::DeviceGroups groups;
  for (int64_t g = 0; g < count; ++g) {
    groups.groups.emplace_back();
    for (int64_t i = 0; i < size; ++i) groups.groups.back().push_back(g * size + i);
  }
  return groups;
}

Picoseconds launch(Opcode opcode, int64_t bytes, int64_t size,
                   const std::string& machine = "trn2") {
  return launch_time(machine_preset(machine), opcode, bytes, consecutive(1, size));
}

TEST_CASE("wire bytes by opcode, rounded up") {
  CHECK(wire_bytes(Opcode::kAllGather, 1024, 4) == 768);
  CHECK(wire_bytes(Opcode::kAllGatherStart, 1024, 4) == 768);
  CHECK(wire_bytes(Opcode::kReduceScatter, 1024, 4) == 768);
  CHECK(wire_bytes(Opcode::kAllReduce, 1024, 4) == 1536);
  CHECK(wire_bytes(Opcode::kAllToAll, 1024, 4) == 768);
  CHECK(wire_bytes(Opcode::kCollectivePermute, 1024, 4) == 1024);
  CHECK(wire_bytes(Opcode::kAllReduceStart, 1024, 4) == 1536);
  CHECK(wire_bytes(Opcode::kCollectivePermuteStart, 1024, 4) == 1024);
  CHECK(wire_bytes(Opcode::kAllGather, 10, 3) == 7);  // 6.67
  CHECK(wire_bytes(Opcode::kAllReduce, 2, 3) == 3);   // 2.67, where twice 1.33 rounded up is 4
  CHECK(wire_bytes(Opcode::kAllGather, 1024, 1) == 0);
  const int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(wire_bytes(Opcode::kAllReduce, most, 1024) == most);
  CHECK(wire_bytes(Opcode::kAllGather, most, 2) == most / 2 + 1);
}

TEST_CASE("each opcode's bytes go into their totals") {
  const Priced p = price(std::string("HloModule m, num_partitions=4") + kSum + R"(
ENTRY e {
  a = f32[16] parameter(0)
  g = f32[64] all-gather(a), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  r = f32[64] all-reduce(g), to_apply=add, channel_id=2, replica_groups={{0,1},{2,3}}, use_global_device_ids=true
  s = f32[16] reduce-scatter(r), dimensions={0}, to_apply=add, channel_id=3, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  t = f32[16] all-to-all(s), dimensions={0}, channel_id=4, replica_groups={{0,1,2,3}}
  ROOT p = f32[16] collective-permute(t), channel_id=5, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
}
)");
  const Totals& plain = p.cost.plain;
  CHECK(plain.collectives == 5);
  CHECK(plain.launches == 5);
  CHECK(plain.gathered_bytes == 256);
  CHECK(plain.reduced_bytes == 256 + 256);
  // 256 * 3/4, 2 * 256 / 2, 256 * 3/4, 64 * 3/4, 64.
  CHECK(plain.wire_bytes == 192 + 256 + 192 + 48 + 64);
  CHECK(p.cost.executed.wire_bytes == plain.wire_bytes);
  CHECK(p.cost.by_opcode.size() == 5);
  CHECK(p.cost.by_opcode.at("all-gather").count == 1);
  CHECK(p.cost.by_opcode.at("all-gather").bytes == 256);
  CHECK(p.cost.by_opcode.at("all-to-all").bytes == 64);
  CHECK(p.cost.by_opcode.at("collective-permute").bytes == 64);
  hlo::DeviceGroups halves;
  halves.groups = {{0, 1}, {2, 3}};
  CHECK(p.cost.launch_time ==
        launch(Opcode::kAllGather, 256, 4) +
            launch_time(machine_preset("trn2"), Opcode::kAllReduce, 256, halves) +
            launch(Opcode::kReduceScatter, 256, 4) + launch(Opcode::kAllToAll, 64, 4) +
            launch(Opcode::kCollectivePermute, 64, 2));
  CHECK(p.cost.local_time == 0);
  CHECK(p.cost.time == p.cost.launch_time);
  CHECK(p.cost.value(Objective::kTime) == p.cost.time);
  CHECK(p.cost.value(Objective::kBytes) == 752);
  CHECK(p.cost.value(Objective::kLaunches) == 5);
}

TEST_CASE("a batch is one launch of its members' bytes, under its first member's key") {
  const char* text = R"(
HloModule m, num_partitions=4
ENTRY e {
  a = f32[16] parameter(0)
  b = bf16[4,8] parameter(1)
  ga = f32[64] all-gather(a), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  gb = bf16[4,32] all-gather(b), dimensions={1}, channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  ROOT t = (f32[64], bf16[4,32]) tuple(ga, gb)
}
)";
  // `gb` gathers along the second dim, so its 256 bytes are unpacked: read and written.
  const Picoseconds unpacking = memory_time(machine_preset("trn2"), 512);
  // Neuron keeps types and dims apart.
  const Priced apart = price(text, "neuron");
  CHECK(apart.cost.plain.launches == 2);
  CHECK(apart.cost.local_time == unpacking);
  CHECK(apart.cost.time ==
        launch(Opcode::kAllGather, 256, 4) + launch(Opcode::kAllGather, 256, 4) + unpacking);
  const Priced joined = price(text, "xla-gpu");
  CHECK(joined.cost.plain.collectives == 2);
  CHECK(joined.cost.plain.launches == 1);
  CHECK(joined.cost.time == launch(Opcode::kAllGather, 512, 4) + unpacking);
  REQUIRE(joined.cost.keys.size() == 2);
  CHECK(joined.cost.keys[0].type == "bf16");
  CHECK(joined.cost.keys[0].dim == "1");
  CHECK(joined.cost.keys[1].type == "f32");
  CHECK(joined.cost.keys[1].dim == "0");
  // The walk from the root meets `ga` first.
  CHECK(joined.cost.keys[0].launches == 0);
  CHECK(joined.cost.keys[1].launches == 1);
  CHECK(joined.cost.keys[0].count == 1);
  CHECK(joined.cost.keys[0].bytes == 256);
}

constexpr const char* kLoop = R"(
body {
  s = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[16] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  r = f32[16] all-reduce(x), to_apply=add, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  n = f32[16] negate(r)
  ROOT t = (s32[], f32[16]) tuple(next, n)
}

condition {
  s = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  many = s32[] constant(5)
  ROOT c = pred[] compare(i, many), direction=LT
}

ENTRY e {
  x = f32[16] parameter(0)
  start = START
  init = (s32[], f32[16]) tuple(start, x)
  w = (s32[], f32[16]) while(init), condition=condition, body=body
  ROOT out = f32[16] get-tuple-element(w), index=1
}
)";

std::string loop(const std::string& start) {
  std::string text = std::string("HloModule m, num_partitions=4") + kSum + kLoop;
  return text.replace(text.find("START"), 5, start);
}

TEST_CASE("what stands in a loop counts once a trip in executed figures and time") {
  const Priced p = price(loop("s32[] constant(0)"));
  CHECK(p.cost.plain.collectives == 1);
  CHECK(p.cost.plain.launches == 1);
  CHECK(p.cost.plain.reduced_bytes == 64);
  CHECK(p.cost.executed.collectives == 5);
  CHECK(p.cost.executed.launches == 5);
  CHECK(p.cost.executed.reduced_bytes == 320);
  CHECK(p.cost.executed.wire_bytes == 5 * 96);
  CHECK_FALSE(p.cost.has_unknown_trip_count);
  CHECK(p.cost.launch_time == 5 * launch(Opcode::kAllReduce, 64, 4));
  // negate: half of 64 read and 64 written, 64 B at 2900 GB/s, rounded up: 23 ps.
  CHECK(p.cost.local_time == 5 * 23);
}

TEST_CASE("an unknown trip count is 1 and said so") {
  const Priced p = price(loop("s32[] custom-call(), custom_call_target=\"first\""));
  CHECK(p.cost.executed.launches == 1);
  CHECK(p.cost.has_unknown_trip_count);
  CHECK_FALSE(price(R"(
ENTRY e {
  ROOT x = f32[16] parameter(0)
}
)")
                  .cost.has_unknown_trip_count);
}

TEST_CASE("a body called twice counts twice in executed figures, once in plain ones") {
  const Priced p = price(R"(
HloModule m, num_partitions=2

f {
  x = f32[16] parameter(0)
  ROOT g = f32[32] all-gather(x), dimensions={0}, channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true
}

ENTRY e {
  x = f32[16] parameter(0)
  a = f32[32] call(x), to_apply=f
  b = f32[32] call(x), to_apply=f
  ROOT t = (f32[32], f32[32]) tuple(a, b)
}
)");
  CHECK(p.cost.plain.gathered_bytes == 128);
  CHECK(p.cost.executed.gathered_bytes == 256);
  CHECK(p.cost.executed.launches == 2);
  CHECK(p.cost.time == 2 * launch(Opcode::kAllGather, 128, 2));
}

TEST_CASE("a variadic collective is one, its elements summed") {
  const Priced p = price(std::string("HloModule m, num_partitions=4") + kSum + R"(
ENTRY e {
  a = f32[16] parameter(0)
  b = f32[8] parameter(1)
  r = (f32[16], f32[8]) all-reduce(a, b), to_apply=add, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  g = (f32[64], f32[32]) all-gather(a, b), dimensions={0}, channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  ROOT t = ((f32[16], f32[8]), (f32[64], f32[32])) tuple(r, g)
}
)");
  CHECK(p.cost.plain.collectives == 2);
  CHECK(p.cost.plain.reduced_bytes == 64 + 32);
  CHECK(p.cost.plain.gathered_bytes == 256 + 128);
  REQUIRE(p.cost.keys.size() == 2);
  CHECK(p.cost.keys[0].type == "f32");
}

TEST_CASE("asynchronous starts count under the plain opcode, by their results; the rest never") {
  const Priced p = price(R"(
HloModule m, num_partitions=4

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

wrapped {
  x = f32[64] parameter(0)
  ROOT rs = f32[16] reduce-scatter(x), dimensions={0}, to_apply=add, channel_id=4, replica_groups={{0,1,2,3}}, use_global_device_ids=true
}

ENTRY e {
  a = f32[16] parameter(0)
  gs = (f32[16], f32[64]) all-gather-start(a), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  gd = f32[64] all-gather-done(gs)
  rs = f32[64] all-reduce-start(gd), to_apply=add, channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  rd = f32[64] all-reduce-done(rs)
  ws = ((f32[64]), f32[16], s32[]) async-start(rd), calls=wrapped
  wd = f32[16] async-done(ws), calls=wrapped
  ps = (f32[16], f32[16], u32[], u32[]) collective-permute-start(wd), channel_id=3, source_target_pairs={{0,1},{1,0}}
  ROOT pd = f32[16] collective-permute-done(ps)
}
)");
  CHECK(p.cost.plain.collectives == 4);
  CHECK(p.cost.plain.launches == 4);
  CHECK(p.cost.plain.gathered_bytes == 256);
  CHECK(p.cost.plain.reduced_bytes == 256 + 256);
  CHECK(p.cost.by_opcode.size() == 4);
  CHECK(p.cost.by_opcode.at("all-gather").bytes == 256);
  CHECK(p.cost.by_opcode.at("all-reduce").bytes == 256);
  CHECK(p.cost.by_opcode.at("reduce-scatter").count == 1);
  CHECK(p.cost.by_opcode.at("reduce-scatter").bytes == 256);
  CHECK(p.cost.by_opcode.at("collective-permute").bytes == 64);
  CHECK(p.cost.plain.wire_bytes == 192 + 384 + 192 + 64);
}

TEST_CASE("packed elements count by their packed size") {
  const Priced p = price(R"(
HloModule m, num_partitions=4
ENTRY e {
  a = s4[16]{0:E(4)} parameter(0)
  b = s4[16]{0} parameter(1)
  g = s4[64]{0:E(4)} all-gather(a), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  h = s4[64]{0} all-gather(b), dimensions={0}, channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  ROOT t = (s4[64]{0:E(4)}, s4[64]{0}) tuple(g, h)
}
)");
  CHECK(p.cost.plain.gathered_bytes == 32 + 64);
}

TEST_CASE("figures past the range of an integer saturate") {
  const int64_t most = std::numeric_limits<int64_t>::max();
  const Priced p = price(R"(
HloModule m, num_partitions=2
ENTRY e {
  a = f32[2000000000,2000000000] parameter(0)
  g = f32[4000000000,2000000000] all-gather(a), dimensions={0}, channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true
  h = f32[4000000000,2000000000] all-gather(a), dimensions={0}, channel_id=2, replica_groups={{0,1}}, use_global_device_ids=true
  ROOT t = (f32[4000000000,2000000000], f32[4000000000,2000000000]) tuple(g, h)
}
)");
  CHECK(p.cost.plain.gathered_bytes == most);
  CHECK(p.cost.plain.wire_bytes == most);
  CHECK(p.cost.time == most);
  CHECK(p.cost.peak_bytes == most);
}

TEST_CASE("groups of unequal size count by the largest") {
  const Priced p = price(std::string("HloModule m, num_partitions=4") + kSum + R"(
ENTRY e {
  a = f32[16] parameter(0)
  ROOT r = f32[16] all-reduce(a), to_apply=add, channel_id=1, replica_groups={{0,1,2},{3}}, use_global_device_ids=true
}
)");
  CHECK(p.cost.plain.wire_bytes == 86);  // 2 * 64 * 2/3 = 85.3
  REQUIRE(p.cost.keys.size() == 1);
  CHECK(p.cost.keys[0].groups == "1x1+1x3");
}

TEST_CASE("local work counts what is marked or new, times executions") {
  hlo::Module module = frontends::read_text(R"(
HloModule m, num_partitions=4
ENTRY e {
  a = f32[16] parameter(0)
  g = f32[64] all-gather(a), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  n = f32[64] negate(g)
  ROOT far = f32[64] fft(n), fft_type=FFT, fft_length={64}
}
)",
                                            "test.hlo");
  const hlo::DeviceCounts counts = hlo::infer_device_counts(module, {});
  CostOptions options;
  options.combiner = hlo::combiner_preset("neuron");
  const Machine& machine = machine_preset("trn2");
  const std::vector<bool> surroundings = collective_surroundings(module);
  CHECK(surroundings == std::vector<bool>{false, true, true, false});
  const Picoseconds negate = memory_time(machine, 256);  // half of 256 read and 256 written
  CHECK(price_program(module, counts, options, surroundings).local_time == negate);
  // The same program where the last two are not the input's.
  const std::vector<bool> shorter(2, false);
  CHECK(price_program(module, counts, options, shorter).local_time ==
        negate + memory_time(machine, 512));
}

}  // namespace
}  // namespace flipsat::extract
