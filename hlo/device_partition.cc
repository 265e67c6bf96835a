#include "hlo/device_partition.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>

namespace flipsat::hlo {
namespace {

// Blocks numbered by first member: devices with equal keys share one.
template <typename Key>
std::vector<uint32_t> number_by_first_member(const std::vector<Key>& keys) {
  std::map<Key, uint32_t> numbers;
  std::vector<uint32_t> blocks;
  blocks.reserve(keys.size());
  for (const Key& key : keys) {
    blocks.push_back(numbers.emplace(key, static_cast<uint32_t>(numbers.size())).first->second);
  }
  return blocks;
}

uint32_t find_root(std::vector<uint32_t>& parent, uint32_t device) {
  while (parent[device] != device) {
    parent[device] = parent[parent[device]];
    device = parent[device];
  }
  return device;
}

// What a group's members receive: the blocks that they bring, in an order that `sorted` and
// `as_set` make immaterial.
std::vector<uint32_t> group_key(const std::vector<int64_t>& group, const DevicePartition& operand,
                                bool sorted, bool as_set) {
  std::vector<uint32_t> key;
  key.reserve(group.size());
  for (int64_t device : group) key.push_back(operand.blocks()[device]);
  if (sorted) std::sort(key.begin(), key.end());
  if (as_set) key.erase(std::unique(key.begin(), key.end()), key.end());
  return key;
}

// Devices whose groups have equal keys (and, if asked, that stand at the same position) agree. A
// device in no group shares with nobody.
DevicePartition by_group_key(const DevicePartition& operand, const DeviceGroups& groups,
                             bool sorted, bool as_set, bool with_position) {
  std::map<std::vector<uint32_t>, int64_t> numbers;
  std::vector<std::pair<int64_t, int64_t>> keys(operand.devices());
  for (int64_t d = 0; d < operand.devices(); ++d) keys[d] = {-1, d};
  for (const auto& group : groups.groups) {
    std::vector<uint32_t> key = group_key(group, operand, sorted, as_set);
    int64_t number =
        numbers.emplace(std::move(key), static_cast<int64_t>(numbers.size())).first->second;
    for (size_t i = 0; i < group.size(); ++i) {
      keys[group[i]] = {number, with_position ? static_cast<int64_t>(i) : 0};
    }
  }
  std::vector<uint32_t> blocks = number_by_first_member(keys);
  return DevicePartition::of_values(std::vector<int64_t>(blocks.begin(), blocks.end()));
}

}  // namespace

DevicePartition DevicePartition::all_equal(int64_t devices) {
  DevicePartition partition;
  partition.block_.assign(devices, 0);
  return partition;
}

DevicePartition DevicePartition::all_distinct(int64_t devices) {
  DevicePartition partition;
  partition.block_.resize(devices);
  std::iota(partition.block_.begin(), partition.block_.end(), 0);
  return partition;
}

DevicePartition DevicePartition::of_groups(const DeviceGroups& groups, int64_t devices) {
  std::vector<int64_t> group_of(devices);
  for (int64_t d = 0; d < devices; ++d) group_of[d] = -1 - d;
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    for (int64_t device : groups.groups[g]) group_of[device] = static_cast<int64_t>(g);
  }
  return of_values(group_of);
}

DevicePartition DevicePartition::of_values(const std::vector<int64_t>& values) {
  DevicePartition partition;
  partition.block_ = number_by_first_member(values);
  return partition;
}

bool DevicePartition::is_all_equal() const {
  return std::all_of(block_.begin(), block_.end(), [](uint32_t block) { return block == 0; });
}

bool DevicePartition::is_all_distinct() const {
  return block_.empty() || *std::max_element(block_.begin(), block_.end()) + 1 == block_.size();
}

bool DevicePartition::uniform_within(const DeviceGroups& groups) const {
  for (const auto& group : groups.groups) {
    for (int64_t device : group) {
      if (!same_block(group[0], device)) return false;
    }
  }
  return true;
}

DevicePartition DevicePartition::join(const DevicePartition& other) const {
  assert(devices() == other.devices());
  // Devices as a union-find forest; each block hangs under its first member.
  std::vector<uint32_t> parent(block_.size());
  std::iota(parent.begin(), parent.end(), 0);
  for (const std::vector<uint32_t>* blocks : {&block_, &other.block_}) {
    std::vector<int64_t> first(block_.size(), -1);
    for (uint32_t d = 0; d < blocks->size(); ++d) {
      int64_t& leader = first[(*blocks)[d]];
      if (leader < 0) leader = d;
      parent[find_root(parent, d)] = find_root(parent, static_cast<uint32_t>(leader));
    }
  }
  std::vector<int64_t> component(block_.size());
  for (uint32_t d = 0; d < component.size(); ++d) component[d] = find_root(parent, d);
  return of_values(component);
}

DevicePartition DevicePartition::meet(const DevicePartition& other) const {
  assert(devices() == other.devices());
  std::vector<int64_t> pairs(block_.size());
  for (size_t d = 0; d < pairs.size(); ++d) {
    pairs[d] = static_cast<int64_t>(uint64_t{block_[d]} << 32 | other.block_[d]);
  }
  return of_values(pairs);
}

DevicePartition after_all_reduce(const DevicePartition& operand, const DeviceGroups& groups,
                                 bool idempotent) {
  return by_group_key(operand, groups, true, idempotent, false);
}

DevicePartition after_all_gather(const DevicePartition& operand, const DeviceGroups& groups) {
  return by_group_key(operand, groups, false, false, false);
}

DevicePartition after_reduce_scatter(const DevicePartition& operand, const DeviceGroups& groups,
                                     bool idempotent) {
  return by_group_key(operand, groups, true, idempotent, true);
}

DevicePartition after_all_to_all(const DevicePartition& operand, const DeviceGroups& groups) {
  return by_group_key(operand, groups, false, false, true);
}

DevicePartition after_permute(const DevicePartition& operand, const DevicePairs& pairs) {
  std::vector<int64_t> source_block(operand.devices(), -1);  // -1: receives zeros
  for (auto [source, target] : pairs) source_block[target] = operand.blocks()[source];
  return DevicePartition::of_values(source_block);
}

}  // namespace flipsat::hlo
