// Ways to group devices: all small ones, in every group mode, for spaces of cases.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/devices.h"

namespace flipsat::optimizer {

struct Grouping {
  int64_t replicas = 1;
  int64_t partitions = 1;
  hlo::GroupMode mode = hlo::GroupMode::kFlattenedId;
  hlo::ReplicaGroups written;  // as replica_groups has them; empty: all devices
  hlo::DeviceGroups groups;    // device ids

  int64_t devices() const { return replicas * partitions; }
  int64_t size() const { return groups.group_size(); }
  // Position of a device in its group.
  int64_t position(int64_t device) const { return groups.position_of(device).second; }
};

// One with its groups of devices worked out; `written` as replica_groups would have them.
Grouping grouping(int64_t replicas, int64_t partitions, hlo::GroupMode mode,
                  hlo::ReplicaGroups written);

// Every way to put ids 0 .. count-1 into groups of one size, members in every order, groups sorted
// by their smallest member: 3 for two ids, 7 for three, 37 for four.
std::vector<hlo::ReplicaGroups> ordered_groups(int64_t count);

// All of 2 to 4 devices in the three modes that gathers and reductions have: flattened ids in every
// order, replicas alone, replicas with all partitions, `{}`; few devices first.
const std::vector<Grouping>& all_groupings();
// Of those, the ones with members in increasing order: all that all-reduces need.
const std::vector<Grouping>& sorted_groupings();
// Contiguous, strided and shuffled ones of 6 and 8 devices.
const std::vector<Grouping>& large_groupings();

}  // namespace flipsat::optimizer
