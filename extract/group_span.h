// How the members of a collective's groups lie on a machine: what a launch time depends on beside
// opcode and bytes. Worked out once a grouping.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/machine_model.h"
#include "hlo/devices.h"

namespace flipsat::extract {

// A group's extent along one axis of a torus.
struct AxisSpan {
  int64_t members = 1;
  int64_t stride = 1;  // links between neighbours, which that many groups share
  bool wraps = false;
  bool operator==(const AxisSpan&) const = default;
};

struct GroupSpan {
  int64_t members = 1;
  int64_t nodes = 1;           // that it has members on
  int64_t per_node = 1;        // the most members on one node
  int64_t hops = 1;            // torus: links between its first two members
  std::vector<AxisSpan> axes;  // torus: axes along which it extends within a node
  bool operator==(const GroupSpan&) const = default;
};

// The distinct spans of the groups, those of single devices left out. The devices of a torus are
// the ids up to the largest one named, laid out over near-equal axes (8 devices on two axes: 4x2),
// ids running along the longest axis first.
std::vector<GroupSpan> group_spans(const Machine& machine, const hlo::DeviceGroups& groups);

// Lengths of the axes that `devices` devices are laid out over, longest first.
std::vector<int64_t> torus_shape(int64_t devices, int axes);

// Time of one launch over groups that span like this: that of the slowest group. The public
// launch_time is this one after group_spans.
Picoseconds launch_time_over(const Machine& machine, hlo::Opcode opcode, int64_t bytes,
                             const std::vector<GroupSpan>& spans);

}  // namespace flipsat::extract
