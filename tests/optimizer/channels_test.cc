// Promise: a new collective that stands for one old one keeps its channel id; one that stands for
// several gets a fresh number; none is invented, dropped or used twice.
#include <set>

#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::Opcode;

TEST_CASE("channels: one for one keeps its number") {
  Optimized out(
      program("x = f32[4,8] parameter(0)\n"
              "g = f32[16,8] all-gather(x), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 37) +
              "\n"
              "ROOT r = bf16[16,8] convert(g)\n"));
  CHECK(out.root().opcode == Opcode::kAllGather);
  CHECK(out.channels() == std::vector<int64_t>{37});
}

TEST_CASE("channels: one for several gets a number that the module does not use") {
  Optimized out(
      program("a = f32[4,8] parameter(0)\n"
              "b = f32[4,8] parameter(1)\n"
              "c = f32[4,8] parameter(2)\n"
              "ga = f32[16,8] all-gather(a), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 5) +
              "\n"
              "gb = f32[16,8] all-gather(b), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 6) +
              "\n"
              "s = f32[4,8] all-reduce(c), to_apply=add_f32" +
              in_groups("{{0,1,2,3}}", 40) +
              "\n"
              "r = f32[16,8] multiply(ga, gb)\n"
              "ROOT t = (f32[16,8], f32[4,8]) tuple(r, s)\n"));
  CHECK(out.all(Opcode::kAllGather).size() == 1);
  CHECK(out.one(Opcode::kAllGather).channel_id() == 41);
  CHECK(out.one(Opcode::kAllReduce).channel_id() == 40);
}

TEST_CASE("channels: several for one share nothing") {
  Optimized out(
      program("stack = f32[8,4,16] parameter(0)\n"
              "zero = s32[] constant(0)\n"
              "two = s32[] constant(2)\n"
              "five = s32[] constant(5)\n"
              "g = f32[8,16,16] all-gather(stack), dimensions={1}" +
              in_groups("{{0,1,2,3}}", 3) +
              "\n"
              "a = f32[1,16,16] dynamic-slice(g, two, zero, zero), "
              "dynamic_slice_sizes={1,16,16}\n"
              "b = f32[1,16,16] dynamic-slice(g, five, zero, zero), "
              "dynamic_slice_sizes={1,16,16}\n"
              "ROOT t = (f32[1,16,16], f32[1,16,16]) tuple(a, b)\n"));
  CHECK(out.all(Opcode::kAllGather).size() == 2);
  std::vector<int64_t> channels = out.channels();
  CHECK(channels.size() == 2);
  CHECK(std::set<int64_t>(channels.begin(), channels.end()).size() == 2);
}

TEST_CASE("channels: an old one that lives on keeps its own") {
  Optimized out(
      program("a = f32[4,8] parameter(0)\n"
              "b = f32[4,8] parameter(1)\n"
              "ga = f32[16,8] all-gather(a), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 1) +
              "\n"
              "gb = f32[16,8] all-gather(b), dimensions={0}" +
              in_groups("{{0,1,2,3}}", 2) +
              "\n"
              "s = f32[16,8] add(ga, gb)\n"
              "ROOT t = (f32[16,8], f32[16,8]) tuple(s, ga)\n"));
  CHECK(contains(out.text, "ga = f32[16,8] all-gather(a), dimensions={0}, channel_id=1,"));
  REQUIRE(out.all(Opcode::kAllGather).size() == 2);
  CHECK(out.channels() == std::vector<int64_t>{1, 3});
}

TEST_CASE("channels: none where there was none") {
  Optimized out(
      program("x = f32[4,8] parameter(0)\n"
              "g = f32[16,8] all-gather(x), dimensions={0}, replica_groups={{0,1,2,3}}\n"
              "ROOT r = bf16[16,8] convert(g)\n",
              "replica_count=4"));
  CHECK(out.shape_of_one(Opcode::kAllGather) == "bf16[16,8]");
  CHECK(out.channels().empty());
  CHECK_FALSE(
      out.one(Opcode::kAllGather).bool_attribute(hlo::AttributeKey::kUseGlobalDeviceIds, false));
}

TEST_CASE("channels: groups are spelled as the input spells them") {
  Optimized out(
      program("x = f32[4,8] parameter(0)\n"
              "g = f32[8,8] all-gather(x), dimensions={0}, channel_id=1, "
              "replica_groups=[2,2]<=[4], use_global_device_ids=true\n"
              "ROOT r = bf16[8,8] convert(g)\n"));
  CHECK(contains(out.text, "bf16[8,8] all-gather("));
  CHECK(contains(out.text, "replica_groups=[2,2]<=[4]"));
}

TEST_CASE("channels: the mode stays, or becomes the one that can say the groups") {
  // Cross-partition: without global ids, ids are partitions.
  Optimized out(
      program("x = f32[8] parameter(0)\n"
              "pid = u32[] partition-id()\n"
              "table = s32[4] constant({6, 4, 2, 0})\n"
              "e = s32[1] dynamic-slice(table, pid), dynamic_slice_sizes={1}\n"
              "i = s32[] reshape(e)\n"
              "s = f32[8] all-reduce(x), channel_id=4, replica_groups={{0}}, "
              "to_apply=add_f32\n"
              "ROOT r = f32[2] dynamic-slice(s, i), dynamic_slice_sizes={2}\n"));
  const hlo::Instruction& scatter = out.one(Opcode::kReduceScatter);
  CHECK(scatter.channel_id() == 4);
  REQUIRE(hlo::device_groups(scatter, out.result.counts));
  CHECK(hlo::device_groups(scatter, out.result.counts)->groups ==
        std::vector<std::vector<int64_t>>{{3, 2, 1, 0}});
  CHECK(out.result.order_open == 1);
}

}  // namespace
}  // namespace flipsat::optimizer::testing
