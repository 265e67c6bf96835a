// What two groupings of the same devices have to do with each other: when two collectives, one over
// each, are one collective, and when they commute. `first` is applied first, to the operand; groups
// are as DeviceGroups has them, of one size each. Results are sorted by smallest member.
#pragma once

#include <optional>
#include <vector>

#include "hlo/devices.h"

namespace flipsat::hlo {

// Members of one inner group have equal positions in their outer groups, and at each position those
// outer groups hold members of one inner group.
bool is_aligned(const DeviceGroups& outer, const DeviceGroups& inner);

// Aligned both ways: the devices stand on a grid, of which the groups are rows and columns.
bool is_grid(const DeviceGroups& a, const DeviceGroups& b);

// Groups of the all-reduce that two are, one after the other: the unions of the first groups that a
// second one meets, members sorted. Nullopt where these unions overlap, where a sum would count a
// member twice, or where groups of several sizes would result.
std::optional<DeviceGroups> nested_reduce(const DeviceGroups& first, const DeviceGroups& second,
                                          bool idempotent);
// Of the all-gather that two along one dim are: the last applied is major.
std::optional<DeviceGroups> nested_gather(const DeviceGroups& first, const DeviceGroups& second);
// Of the reduce-scatter that two along one dim are: the first applied is major.
std::optional<DeviceGroups> nested_scatter(const DeviceGroups& first, const DeviceGroups& second);

// A sum of which every device keeps one of `shards` parts, each part kept by equally many members
// of every group: a reduce-scatter over members that keep one part each, in the order of the
// parts, and an all-reduce of those that keep the same part (groups of one where none does).
struct ScatterAndReduce {
  DeviceGroups scatter;
  DeviceGroups reduce;
};
std::optional<ScatterAndReduce> scatter_and_reduce(const DeviceGroups& groups,
                                                   const std::vector<int64_t>& part_of,
                                                   int64_t shards);

}  // namespace flipsat::hlo
