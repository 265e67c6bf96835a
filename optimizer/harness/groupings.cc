#include "optimizer/harness/groupings.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace flipsat::optimizer {
namespace {

using hlo::GroupMode;
using hlo::ReplicaGroups;

// Adds to `all` every way to group what is left of the ids, the first of which begins a group.
void group_rest(std::vector<int64_t> left, int64_t size, ReplicaGroups& groups,
                std::vector<ReplicaGroups>& all) {
  if (left.empty()) {
    all.push_back(groups);
    return;
  }
  std::vector<bool> pick(left.size() - 1, false);
  std::fill(pick.begin(), pick.begin() + (size - 1), true);
  do {
    std::vector<int64_t> members{left[0]}, rest;
    for (size_t i = 1; i < left.size(); ++i) (pick[i - 1] ? members : rest).push_back(left[i]);
    do {
      groups.push_back(members);
      group_rest(rest, size, groups, all);
      groups.pop_back();
    } while (std::next_permutation(members.begin(), members.end()));
  } while (std::prev_permutation(pick.begin(), pick.end()));
}

bool is_sorted(const Grouping& grouping) {
  return std::all_of(grouping.groups.groups.begin(), grouping.groups.groups.end(),
                     [](const auto& group) { return std::is_sorted(group.begin(), group.end()); });
}

void add_all(int64_t replicas, int64_t partitions, GroupMode mode, int64_t ids,
             std::vector<Grouping>& all) {
  if (mode != GroupMode::kFlattenedId) all.push_back(grouping(replicas, partitions, mode, {}));
  for (const ReplicaGroups& written : ordered_groups(ids)) {
    all.push_back(grouping(replicas, partitions, mode, written));
  }
}

std::vector<Grouping> make_all() {
  std::vector<Grouping> all;
  add_all(1, 2, GroupMode::kFlattenedId, 2, all);
  add_all(2, 1, GroupMode::kCrossReplica, 2, all);
  add_all(1, 3, GroupMode::kFlattenedId, 3, all);
  add_all(3, 1, GroupMode::kCrossReplica, 3, all);
  add_all(1, 4, GroupMode::kFlattenedId, 4, all);
  add_all(2, 2, GroupMode::kCrossReplica, 2, all);
  add_all(2, 2, GroupMode::kCrossReplicaAndPartition, 2, all);
  add_all(2, 2, GroupMode::kFlattenedId, 4, all);
  return all;
}

}  // namespace

std::vector<ReplicaGroups> ordered_groups(int64_t count) {
  std::vector<ReplicaGroups> all;
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  for (int64_t size = 1; size <= count; ++size) {
    if (count % size != 0) continue;
    std::vector<ReplicaGroups> of_size;
    ReplicaGroups groups;
    group_rest(ids, size, groups, of_size);
    all.insert(all.end(), of_size.begin(), of_size.end());
  }
  return all;
}

Grouping grouping(int64_t replicas, int64_t partitions, GroupMode mode, ReplicaGroups written) {
  hlo::Instruction collective;
  collective.opcode = hlo::Opcode::kAllGather;
  collective.set(hlo::AttributeKey::kReplicaGroups, std::make_shared<const ReplicaGroups>(written));
  if (mode != GroupMode::kCrossReplica) {
    collective.set(hlo::AttributeKey::kChannelId, int64_t{1});
  }
  if (mode == GroupMode::kFlattenedId) {
    collective.set(hlo::AttributeKey::kUseGlobalDeviceIds, true);
  }
  hlo::DeviceCounts counts;
  counts.replicas = replicas;
  counts.partitions = partitions;
  hlo::DeviceGroupsRef groups = hlo::device_groups(collective, counts);
  if (!groups) throw std::logic_error("a grouping that HLO forbids");
  return {replicas, partitions, mode, std::move(written), *groups};
}

const std::vector<Grouping>& all_groupings() {
  static const std::vector<Grouping> all = make_all();
  return all;
}

const std::vector<Grouping>& sorted_groupings() {
  static const std::vector<Grouping> sorted = [] {
    std::vector<Grouping> found;
    std::copy_if(all_groupings().begin(), all_groupings().end(), std::back_inserter(found),
                 is_sorted);
    return found;
  }();
  return sorted;
}

const std::vector<Grouping>& large_groupings() {
  static const std::vector<Grouping> large = [] {
    const std::vector<std::pair<int64_t, ReplicaGroups>> kWritten = {
        {6, {{0, 1, 2, 3, 4, 5}}},
        {6, {{0, 1, 2}, {3, 4, 5}}},
        {6, {{0, 2, 4}, {1, 3, 5}}},
        {6, {{0, 3}, {1, 4}, {2, 5}}},
        {6, {{4, 0, 2}, {3, 5, 1}}},
        {8, {{0, 1, 2, 3, 4, 5, 6, 7}}},
        {8, {{0, 1, 2, 3}, {4, 5, 6, 7}}},
        {8, {{0, 2, 4, 6}, {1, 3, 5, 7}}},
        {8, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
        {8, {{6, 0, 3, 5}, {2, 7, 1, 4}}},
        {8, {{7, 3, 5, 1, 6, 2, 4, 0}}},
    };
    std::vector<Grouping> all;
    for (const auto& [devices, written] : kWritten) {
      all.push_back(grouping(1, devices, GroupMode::kFlattenedId, written));
      if (devices == 8) all.push_back(grouping(2, 4, GroupMode::kFlattenedId, written));
    }
    return all;
  }();
  return large;
}

}  // namespace flipsat::optimizer
