#include "tests/catch.h"
#include "tests/hlo/module_text.h"

namespace flipsat::hlo {
namespace {

DeviceCounts infer(const std::string& header, const std::string& line,
                   const DeviceCountOverrides& overrides = {}) {
  Module module = parse("HloModule m" + header + R"(
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[8,4] parameter(0)
  )" + line + "\n}\n");
  return infer_device_counts(module, overrides);
}

void check(const DeviceCounts& counts, int64_t replicas, int64_t partitions,
           const std::string& source) {
  CHECK(counts.known);
  CHECK(counts.replicas == replicas);
  CHECK(counts.partitions == partitions);
  CHECK(counts.source == source);
}

TEST_CASE("device counts: the header wins over what the groups would say") {
  std::string reduce = "ROOT r = f32[8,4] all-reduce(x), replica_groups={{0,1}}, to_apply=add";
  check(infer(", replica_count=2, num_partitions=4", reduce), 2, 4, "header");
  check(infer(", num_partitions=4", reduce), 1, 4, "header");
  check(infer(", replica_count=2", reduce), 2, 1, "header");
}

TEST_CASE("device counts: ids count replicas unless a channel or partition-id occurs") {
  check(infer("", "ROOT r = f32[8,4] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=add"), 4,
        1, "replica groups");
  check(infer("",
              "ROOT r = f32[8,4] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, "
              "use_global_device_ids=true, to_apply=add"),
        1, 4, "replica groups");
  check(infer("",
              "p = u32[] partition-id()\n  ROOT r = f32[8,4] all-reduce(x), "
              "replica_groups={{0,1}}, to_apply=add"),
        1, 2, "replica groups");
  check(infer("",
              "ROOT r = f32[8,4] collective-permute(x), channel_id=1, "
              "source_target_pairs={{0,1},{1,2}}"),
        1, 3, "replica groups");
}

TEST_CASE("device counts: groups that span all partitions still count replicas") {
  check(infer("",
              "ROOT r = f32[8,4] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, "
              "to_apply=add"),
        4, 1, "replica groups");
  check(infer("",
              "ROOT r = f32[32,4] all-gather(x), channel_id=1, replica_groups={{0}}, "
              "dimensions={0}"),
        1, 4, "gather shapes");
}

TEST_CASE("device counts: {} is told by a gather's or a scatter's shapes") {
  check(infer("", "ROOT r = f32[32,4] all-gather(x), replica_groups={}, dimensions={0}"), 4, 1,
        "gather shapes");
  check(infer("",
              "ROOT r = f32[8,2] reduce-scatter(x), replica_groups={}, dimensions={1}, "
              "to_apply=add"),
        2, 1, "gather shapes");
}

TEST_CASE("device counts: unknown where nothing says") {
  CHECK_FALSE(infer("", "ROOT r = f32[8,4] negate(x)").known);
  CHECK_FALSE(infer("", "ROOT r = f32[8,4] all-reduce(x), replica_groups={}, to_apply=add").known);
  CHECK_FALSE(infer(", num_partitions=4000000", "ROOT r = f32[8,4] negate(x)").known);
}

TEST_CASE("device counts: what the user gives wins") {
  check(infer(", num_partitions=4", "ROOT r = f32[8,4] negate(x)", {2, std::nullopt}), 2, 4,
        "given");
  check(infer("", "ROOT r = f32[8,4] negate(x)", {std::nullopt, 8}), 1, 8, "given");
}

}  // namespace
}  // namespace flipsat::hlo
