#include "hlo/devices.h"

#include "tests/catch.h"
#include "tests/hlo/module_text.h"

namespace flipsat::hlo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

const DeviceCounts kTwoByThree{2, 3, true, "given"};

Module with(const std::string& collective) {
  return parse(
      "HloModule m\nadd { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] "
      "add(a, b) }\nENTRY e {\n  x = f32[6] parameter(0)\n  ROOT c = " +
      collective + "\n}\n");
}

Groups groups_of(const std::string& attributes, const DeviceCounts& counts = kTwoByThree) {
  Module module = with("f32[6] all-reduce(x), to_apply=add" + attributes);
  DeviceGroupsRef groups = device_groups(find(module, "c"), counts);
  return groups ? groups->groups : Groups{};
}

TEST_CASE("groups: cross-replica groups stay inside a partition") {
  CHECK(groups_of(", replica_groups={{1,0}}") == Groups{{3, 0}, {4, 1}, {5, 2}});
  CHECK(groups_of(", replica_groups={}") == Groups{{0, 3}, {1, 4}, {2, 5}});
}

TEST_CASE("groups: replicas and partitions, replica-major") {
  CHECK(groups_of(", channel_id=1, replica_groups={{1,0}}") == Groups{{3, 4, 5, 0, 1, 2}});
  CHECK(groups_of(", channel_id=1, replica_groups={{1},{0}}") == Groups{{0, 1, 2}, {3, 4, 5}});
}

TEST_CASE("groups: flattened ids are devices, sorted by smallest member") {
  CHECK(
      groups_of(", channel_id=1, use_global_device_ids=true, replica_groups={{5,1},{4,0},{2,3}}") ==
      Groups{{4, 0}, {5, 1}, {2, 3}});
}

TEST_CASE("groups: an all-to-all with a channel groups partitions of one replica") {
  Module module =
      with("f32[6] all-to-all(x), channel_id=1, replica_groups={{2,0,1}}, dimensions={0}");
  DeviceGroupsRef groups = device_groups(find(module, "c"), kTwoByThree);
  REQUIRE(groups);
  CHECK(groups->groups == Groups{{2, 0, 1}, {5, 3, 4}});
  CHECK(groups->group_size() == 3);
  CHECK(groups->position_of(3) == std::pair<int64_t, int64_t>(1, 1));
  CHECK(groups->without_order().groups == Groups{{0, 1, 2}, {3, 4, 5}});
}

TEST_CASE("groups: none where ids are missing, repeated, out of range or counts unknown") {
  CHECK(groups_of(", replica_groups={{0}}").empty());
  CHECK(groups_of(", replica_groups={{0,1},{1}}").empty());
  CHECK(groups_of(", replica_groups={{0,2}}").empty());
  DeviceCounts unknown = kTwoByThree;
  unknown.known = false;
  CHECK(groups_of(", replica_groups={}", unknown).empty());
}

TEST_CASE("groups: flattened groups must be written") {
  Module module = with("f32[6] all-reduce(x), to_apply=add, channel_id=1, replica_groups={{0}}");
  module[id_of(module, "c")].set(AttributeKey::kUseGlobalDeviceIds, true);
  module[id_of(module, "c")].set(AttributeKey::kReplicaGroups,
                                 std::make_shared<const ReplicaGroups>());
  CHECK(group_mode(find(module, "c")) == GroupMode::kFlattenedId);
  CHECK_FALSE(device_groups(find(module, "c"), kTwoByThree));
}

TEST_CASE("groups: a group mode for every combination, none for global ids without a channel") {
  Instruction collective;
  collective.opcode = Opcode::kAllGather;
  CHECK(group_mode(collective) == GroupMode::kCrossReplica);
  collective.set(AttributeKey::kUseGlobalDeviceIds, true);
  CHECK_FALSE(group_mode(collective));
  collective.set(AttributeKey::kChannelId, int64_t{7});
  CHECK(group_mode(collective) == GroupMode::kFlattenedId);
  collective.erase(AttributeKey::kUseGlobalDeviceIds);
  CHECK(group_mode(collective) == GroupMode::kCrossReplicaAndPartition);
  collective.opcode = Opcode::kAllToAll;
  CHECK(group_mode(collective) == GroupMode::kCrossPartition);
}

TEST_CASE("groups: pairs of a permute as devices") {
  Module module = with("f32[6] collective-permute(x), source_target_pairs={{1,0}}");
  CHECK(device_pairs(find(module, "c"), kTwoByThree) == DevicePairs{{3, 0}, {4, 1}, {5, 2}});
  module = with("f32[6] collective-permute(x), channel_id=1, source_target_pairs={{2,0},{0,1}}");
  CHECK(device_pairs(find(module, "c"), kTwoByThree) ==
        DevicePairs{{0, 1}, {2, 0}, {3, 4}, {5, 3}});
  module = with("f32[6] collective-permute(x), channel_id=1, source_target_pairs={{3,0}}");
  CHECK_FALSE(device_pairs(find(module, "c"), kTwoByThree));
}

// Whatever a spelling says must expand to the groups that were asked for.
void check_round_trip(const Groups& groups, const std::string& like, bool expected) {
  Module module = with(like);
  Instruction collective = find(module, "c");
  DeviceGroups wanted{groups};
  std::optional<GroupSpelling> spelling = spell_groups(wanted, collective, kTwoByThree);
  REQUIRE(spelling.has_value() == expected);
  if (!spelling) return;
  collective.set(AttributeKey::kReplicaGroups,
                 std::make_shared<const ReplicaGroups>(spelling->replica_groups));
  collective.set(AttributeKey::kUseGlobalDeviceIds, spelling->use_global_device_ids);
  DeviceGroupsRef expanded = device_groups(collective, kTwoByThree);
  REQUIRE(expanded);
  CHECK(expanded->groups == groups);
}

TEST_CASE("groups: written in the collective's own mode where that can say them") {
  std::string plain = "f32[6] all-reduce(x), to_apply=add, replica_groups={}";
  std::string spanning = "f32[6] all-reduce(x), to_apply=add, channel_id=1, replica_groups={}";
  std::string shuffle = "f32[6] all-to-all(x), channel_id=1, replica_groups={}, dimensions={0}";
  check_round_trip({{3, 0}, {4, 1}, {5, 2}}, plain, true);
  check_round_trip({{0, 3}, {4, 1}, {2, 5}}, plain, false);  // differs from partition to partition
  check_round_trip({{0, 1, 2}, {3, 4, 5}}, plain, false);
  check_round_trip({{0, 1, 2}, {3, 4, 5}}, spanning, true);
  check_round_trip({{0, 4}, {5, 1}, {2, 3}}, spanning, true);  // by becoming flattened
  check_round_trip({{2, 0, 1}, {5, 3, 4}}, shuffle, true);
  check_round_trip({{2, 0, 1}, {3, 4, 5}}, shuffle, false);

  Module module = with(spanning);
  DeviceGroups whole_replicas{{{0, 1, 2}, {3, 4, 5}}};
  CHECK_FALSE(spell_groups(whole_replicas, find(module, "c"), kTwoByThree)->use_global_device_ids);
}

TEST_CASE("pairs are spelled as partitions with a channel, as replicas without") {
  // Devices 0..5: replica 0 holds 0, 1, 2.
  const DevicePairs within{{0, 2}, {1, 0}, {3, 5}, {4, 3}};
  CHECK(spell_pairs(within, true, kTwoByThree) == IntLists{{0, 2}, {1, 0}});
  CHECK_FALSE(spell_pairs(within, false, kTwoByThree));
  const DevicePairs across{{0, 3}, {1, 4}, {2, 5}};
  CHECK(spell_pairs(across, false, kTwoByThree) == IntLists{{0, 1}});
  CHECK_FALSE(spell_pairs(across, true, kTwoByThree));
  CHECK_FALSE(spell_pairs({{0, 2}}, true, kTwoByThree));  // the other replica would send too
}

}  // namespace
}  // namespace flipsat::hlo
