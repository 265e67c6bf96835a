// Devices and the groups that collectives act in.
//
// A module runs on replicas x partitions devices; device id = replica * partitions + partition.
// What the numbers in `replica_groups` mean depends on the group mode, which follows from the
// channel id and use_global_device_ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

struct DeviceCounts {
  int64_t replicas = 1;
  int64_t partitions = 1;
  // False where neither the file, its groups nor the user says: collectives are opaque then.
  bool known = true;
  std::string source;  // how it was found: "header", "replica groups", "gather shapes", "given"

  int64_t devices() const { return replicas * partitions; }
};

struct DeviceCountOverrides {
  std::optional<int64_t> replicas;
  std::optional<int64_t> partitions;
};

// Header counts where written; else the ids that occur in replica groups (they count partitions
// where any channel id or partition-id occurs, else replicas; those of groups that span all
// partitions count replicas in any case); for `{}` the ratio of a gather's or scatter's shapes;
// else unknown, as is anything past a million devices. Overrides win.
DeviceCounts infer_device_counts(const Module& module, const DeviceCountOverrides& overrides);

enum class GroupMode : uint8_t {
  kCrossReplica,
  kCrossPartition,
  kCrossReplicaAndPartition,
  kFlattenedId,
};

// Nullopt for a combination that HLO forbids (global ids without a channel).
std::optional<GroupMode> group_mode(const Instruction& collective);

// Who takes part with whom, as device ids, member order kept. Groups are sorted by smallest member;
// together they name every device once. In kCrossReplicaAndPartition members are replica-major,
// partition-minor.
struct DeviceGroups {
  std::vector<std::vector<int64_t>> groups;

  // Members of each group where all groups have the same number; 0 otherwise.
  int64_t group_size() const;
  // Group and position of a device.
  std::pair<int64_t, int64_t> position_of(int64_t device) const;
  // The same sets with members sorted (all an all-reduce needs).
  DeviceGroups without_order() const;
  bool operator==(const DeviceGroups&) const = default;
};

using DeviceGroupsRef = std::shared_ptr<const DeviceGroups>;

// The groups of a collective (not of a permute); nullptr where the mode is invalid, counts are
// unknown, ids are out of range or repeated, or a device is in no group.
DeviceGroupsRef device_groups(const Instruction& collective, const DeviceCounts& counts);

// Of a gather or scatter, between one operand and the result for it: is the whole as many times the
// shard as a group has members? Well-formed modules may say otherwise with groups of one, which is
// what there is where nobody said how many devices there are. True for other opcodes.
bool shapes_fit_groups(const Instruction& collective, const Shape& operand, const Shape& result,
                       const DeviceGroups& groups);

// Source and target devices of a collective-permute, sorted by source; nullopt where counts are
// unknown or ids are out of range or repeated.
using DevicePairs = std::vector<std::pair<int64_t, int64_t>>;
std::optional<DevicePairs> device_pairs(const Instruction& permute, const DeviceCounts& counts);

// How to write pairs of device ids in a permute: as partition ids with a channel, as replica ids
// without. Nullopt where that cannot say them, as they differ between replicas, or partitions.
std::optional<IntLists> spell_pairs(const DevicePairs& pairs, bool has_channel,
                                    const DeviceCounts& counts);

// How to write groups of device ids for a new collective that replaces `like`: as replica ids,
// partition ids or flattened ids, whichever mode `like` has. Nullopt where its mode cannot say them
// (a collective without a channel cannot group by partition).
struct GroupSpelling {
  ReplicaGroups replica_groups;
  bool use_global_device_ids = false;
};
std::optional<GroupSpelling> spell_groups(const DeviceGroups& groups, const Instruction& like,
                                          const DeviceCounts& counts);

}  // namespace flipsat::hlo
