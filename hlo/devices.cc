#include "hlo/devices.h"

#include <algorithm>
#include <numeric>

namespace flipsat::hlo {
namespace {

Opcode collective_opcode(const Instruction& instruction) {
  return synchronous(instruction.wrapped.value_or(instruction.opcode));
}

// What the numbers in the groups range over.
int64_t id_count(GroupMode mode, const DeviceCounts& counts) {
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return counts.replicas;
    case GroupMode::kCrossPartition:
      return counts.partitions;
    case GroupMode::kFlattenedId:
      return counts.devices();
  }
  return 0;
}

bool names_every_id_once(const ReplicaGroups& groups, int64_t count) {
  std::vector<bool> seen(count, false);
  int64_t named = 0;
  for (const auto& group : groups) {
    if (group.empty()) return false;
    for (int64_t id : group) {
      if (id < 0 || id >= count || seen[id]) return false;
      seen[id] = true;
      ++named;
    }
  }
  return named == count;
}

void sort_by_smallest_member(std::vector<std::vector<int64_t>>& groups) {
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
  });
}

std::optional<DeviceGroups> expand(const ReplicaGroups& written, GroupMode mode,
                                   const DeviceCounts& counts) {
  int64_t ids = id_count(mode, counts);
  ReplicaGroups all;
  if (written.empty()) {
    if (mode == GroupMode::kFlattenedId) return std::nullopt;
    all.emplace_back(ids);
    std::iota(all[0].begin(), all[0].end(), 0);
  }
  const ReplicaGroups& groups = written.empty() ? all : written;
  if (!names_every_id_once(groups, ids)) return std::nullopt;

  DeviceGroups result;
  auto add = [&](const std::vector<int64_t>& group, int64_t factor, int64_t offset) {
    std::vector<int64_t> members;
    members.reserve(group.size());
    for (int64_t id : group) members.push_back(id * factor + offset);
    result.groups.push_back(std::move(members));
  };
  for (const auto& group : groups) {
    switch (mode) {
      case GroupMode::kCrossReplica:
        for (int64_t p = 0; p < counts.partitions; ++p) add(group, counts.partitions, p);
        break;
      case GroupMode::kCrossPartition:
        for (int64_t r = 0; r < counts.replicas; ++r) add(group, 1, r * counts.partitions);
        break;
      case GroupMode::kCrossReplicaAndPartition: {
        std::vector<int64_t> members;
        for (int64_t r : group) {
          for (int64_t p = 0; p < counts.partitions; ++p) {
            members.push_back(r * counts.partitions + p);
          }
        }
        result.groups.push_back(std::move(members));
        break;
      }
      case GroupMode::kFlattenedId:
        result.groups.push_back(group);
        break;
    }
  }
  sort_by_smallest_member(result.groups);
  return result;
}

// The ids that `mode` would write for these groups, if it can write them at all.
ReplicaGroups ids_in_mode(const DeviceGroups& groups, GroupMode mode, const DeviceCounts& counts) {
  if (mode == GroupMode::kFlattenedId) return groups.groups;
  ReplicaGroups ids;
  for (const auto& group : groups.groups) {
    std::vector<int64_t> members;
    for (int64_t device : group) {
      int64_t replica = device / counts.partitions;
      int64_t partition = device % counts.partitions;
      if (mode == GroupMode::kCrossPartition) {
        if (replica == 0) members.push_back(partition);
      } else if (partition == 0) {
        members.push_back(replica);
      }
    }
    if (!members.empty()) ids.push_back(std::move(members));
  }
  return ids;
}

std::optional<DevicePairs> expand_pairs(const IntLists& written, bool by_partition,
                                        const DeviceCounts& counts) {
  int64_t ids = by_partition ? counts.partitions : counts.replicas;
  int64_t copies = by_partition ? counts.replicas : counts.partitions;
  std::vector<bool> is_source(ids, false), is_target(ids, false);
  DevicePairs pairs;
  for (const auto& pair : written) {
    if (pair.size() != 2) return std::nullopt;
    for (int64_t id : pair) {
      if (id < 0 || id >= ids) return std::nullopt;
    }
    if (is_source[pair[0]] || is_target[pair[1]]) return std::nullopt;
    is_source[pair[0]] = is_target[pair[1]] = true;
    for (int64_t c = 0; c < copies; ++c) {
      int64_t factor = by_partition ? 1 : counts.partitions;
      int64_t offset = by_partition ? c * counts.partitions : c;
      pairs.emplace_back(pair[0] * factor + offset, pair[1] * factor + offset);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

std::optional<GroupMode> group_mode(const Instruction& collective) {
  bool has_channel = collective.channel_id().has_value();
  switch (collective_opcode(collective)) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kReduceScatter:
      break;
    default:
      return has_channel ? GroupMode::kCrossPartition : GroupMode::kCrossReplica;
  }
  bool is_global = collective.bool_attribute(AttributeKey::kUseGlobalDeviceIds, false);
  if (!has_channel) {
    if (is_global) return std::nullopt;
    return GroupMode::kCrossReplica;
  }
  return is_global ? GroupMode::kFlattenedId : GroupMode::kCrossReplicaAndPartition;
}

int64_t DeviceGroups::group_size() const {
  if (groups.empty()) return 0;
  size_t size = groups[0].size();
  for (const auto& group : groups) {
    if (group.size() != size) return 0;
  }
  return static_cast<int64_t>(size);
}

std::pair<int64_t, int64_t> DeviceGroups::position_of(int64_t device) const {
  for (size_t g = 0; g < groups.size(); ++g) {
    auto it = std::find(groups[g].begin(), groups[g].end(), device);
    if (it != groups[g].end()) return {static_cast<int64_t>(g), it - groups[g].begin()};
  }
  return {-1, -1};
}

DeviceGroups DeviceGroups::without_order() const {
  DeviceGroups sorted = *this;
  for (auto& group : sorted.groups) std::sort(group.begin(), group.end());
  return sorted;
}

DeviceGroupsRef device_groups(const Instruction& collective, const DeviceCounts& counts) {
  if (!counts.known || collective.has(AttributeKey::kSourceTargetPairs)) return nullptr;
  std::optional<GroupMode> mode = group_mode(collective);
  if (!mode) return nullptr;
  static const ReplicaGroups kNone;
  const Attribute* attribute = collective.find(AttributeKey::kReplicaGroups);
  const auto* written = attribute ? std::get_if<ReplicaGroupsRef>(&attribute->value) : nullptr;
  std::optional<DeviceGroups> groups =
      expand(written && *written ? **written : kNone, *mode, counts);
  if (!groups) return nullptr;
  return std::make_shared<const DeviceGroups>(std::move(*groups));
}

std::optional<DevicePairs> device_pairs(const Instruction& permute, const DeviceCounts& counts) {
  const Attribute* attribute = permute.find(AttributeKey::kSourceTargetPairs);
  const auto* written = attribute ? std::get_if<IntLists>(&attribute->value) : nullptr;
  if (!counts.known || !written) return std::nullopt;
  return expand_pairs(*written, group_mode(permute) == GroupMode::kCrossPartition, counts);
}

std::optional<IntLists> spell_pairs(const DevicePairs& pairs, bool has_channel,
                                    const DeviceCounts& counts) {
  IntLists ids;
  for (const auto& [source, target] : pairs) {
    // Those of the first replica, or partition, speak for all.
    if (has_channel && source / counts.partitions == 0) {
      ids.push_back({source, target % counts.partitions});
    } else if (!has_channel && source % counts.partitions == 0) {
      ids.push_back({source / counts.partitions, target / counts.partitions});
    }
  }
  if (expand_pairs(ids, has_channel, counts) != pairs) return std::nullopt;
  return ids;
}

bool shapes_fit_groups(const Instruction& collective, const Shape& operand, const Shape& result,
                       const DeviceGroups& groups) {
  const Opcode opcode = collective_opcode(collective);
  const bool gathers = opcode == Opcode::kAllGather;
  if (!gathers && opcode != Opcode::kReduceScatter) return true;
  if (collective.dimensions().size() != 1 || operand.rank() != result.rank()) return false;
  const int64_t dim = collective.dimensions()[0];
  if (dim < 0 || dim >= operand.rank()) return false;
  const int64_t shard = (gathers ? operand : result).dims[static_cast<size_t>(dim)];
  const int64_t whole = (gathers ? result : operand).dims[static_cast<size_t>(dim)];
  return shard * groups.group_size() == whole;
}

std::optional<GroupSpelling> spell_groups(const DeviceGroups& groups, const Instruction& like,
                                          const DeviceCounts& counts) {
  std::optional<GroupMode> mode = group_mode(like);
  if (!mode || !counts.known) return std::nullopt;
  DeviceGroups canonical = groups;
  sort_by_smallest_member(canonical.groups);
  auto spell = [&](GroupMode as) -> std::optional<GroupSpelling> {
    ReplicaGroups ids = ids_in_mode(canonical, as, counts);
    if (expand(ids, as, counts) != canonical) return std::nullopt;
    return GroupSpelling{std::move(ids), as == GroupMode::kFlattenedId};
  };
  if (std::optional<GroupSpelling> same_mode = spell(*mode)) return same_mode;
  // A gather or reduction with a channel id may number devices globally instead.
  if (*mode == GroupMode::kCrossReplicaAndPartition) return spell(GroupMode::kFlattenedId);
  return std::nullopt;
}

}  // namespace flipsat::hlo
