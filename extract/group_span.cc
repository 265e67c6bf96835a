#include "extract/group_span.h"

#include <algorithm>
#include <cstdlib>

namespace flipsat::extract {
namespace {

// `base` to the `exponent` is at least `value`.
bool power_reaches(int64_t base, int exponent, int64_t value) {
  int64_t power = 1;
  for (int i = 0; i < exponent && power < value; ++i) {
    if (__builtin_mul_overflow(power, base, &power)) return true;
  }
  return power >= value;
}

int64_t smallest_divisor_reaching(int64_t value, int exponent) {
  int64_t best = value;
  for (int64_t d = 1; d <= value / d; ++d) {
    if (value % d != 0) continue;
    if (power_reaches(d, exponent, value)) return std::min(best, d);
    if (power_reaches(value / d, exponent, value)) best = std::min(best, value / d);
  }
  return best;
}

struct NodeCount {
  int64_t nodes = 0;
  int64_t fullest = 0;  // the node with the most members, the first of equals
  int64_t members = 0;  // on it
};

NodeCount count_nodes(const std::vector<int64_t>& group, int64_t devices_per_node) {
  std::vector<int64_t> nodes;
  nodes.reserve(group.size());
  for (int64_t device : group) nodes.push_back(device / devices_per_node);
  std::sort(nodes.begin(), nodes.end());
  NodeCount count;
  for (size_t begin = 0, end = 0; begin < nodes.size(); begin = end) {
    while (end < nodes.size() && nodes[end] == nodes[begin]) ++end;
    ++count.nodes;
    if (static_cast<int64_t>(end - begin) <= count.members) continue;
    count.fullest = nodes[begin];
    count.members = static_cast<int64_t>(end - begin);
  }
  return count;
}

int64_t coordinate(int64_t device, const std::vector<int64_t>& shape, size_t axis) {
  for (size_t i = 0; i < axis; ++i) device /= shape[i];
  return device % shape[axis];
}

// Where a group's members on one node lie on its torus. Members that fill no sub-grid are taken for
// a line.
std::vector<AxisSpan> axis_spans(const Machine& machine, const std::vector<int64_t>& group,
                                 int64_t node, const std::vector<int64_t>& shape) {
  int64_t members = 0;
  int64_t grid = 1;
  std::vector<AxisSpan> spans;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<int64_t> places;
    for (int64_t device : group) {
      if (device / machine.devices_per_node != node) continue;
      places.push_back(coordinate(device % machine.devices_per_node, shape, axis));
    }
    members = static_cast<int64_t>(places.size());
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    AxisSpan span;
    span.members = static_cast<int64_t>(places.size());
    if (span.members == 1) continue;
    int64_t reach = places.back() - places.front();
    span.stride = (reach + span.members - 2) / (span.members - 1);
    span.wraps =
        shape[axis] % machine.wrap_multiple == 0 && span.members * span.stride == shape[axis];
    grid *= span.members;
    spans.push_back(span);
  }
  if (grid != members) return {{members, 1, false}};
  return spans;
}

int64_t hops_between(const Machine& machine, int64_t a, int64_t b,
                     const std::vector<int64_t>& shape) {
  int64_t hops = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t apart = std::abs(coordinate(a % machine.devices_per_node, shape, axis) -
                             coordinate(b % machine.devices_per_node, shape, axis));
    bool wraps = shape[axis] % machine.wrap_multiple == 0;
    hops += wraps ? std::min(apart, shape[axis] - apart) : apart;
  }
  return std::max<int64_t>(hops, 1);
}

}  // namespace

std::vector<int64_t> torus_shape(int64_t devices, int axes) {
  std::vector<int64_t> shape;
  for (int left = axes; left > 0; --left) {
    int64_t length = left == 1 ? devices : smallest_divisor_reaching(devices, left);
    shape.push_back(length);
    devices /= length;
  }
  std::sort(shape.rbegin(), shape.rend());
  return shape;
}

std::vector<GroupSpan> group_spans(const Machine& machine, const hlo::DeviceGroups& groups) {
  std::vector<int64_t> shape;
  if (machine.fabric == Fabric::kTorus) {
    int64_t devices = 1;
    for (const std::vector<int64_t>& group : groups.groups) {
      for (int64_t device : group) devices = std::max(devices, device + 1);
    }
    shape = torus_shape(std::min(devices, machine.devices_per_node), machine.axes);
  }
  std::vector<GroupSpan> spans;
  for (const std::vector<int64_t>& group : groups.groups) {
    if (group.size() < 2) continue;
    GroupSpan span;
    span.members = static_cast<int64_t>(group.size());
    const NodeCount count = count_nodes(group, machine.devices_per_node);
    span.nodes = count.nodes;
    span.per_node = count.members;
    if (machine.fabric == Fabric::kTorus) {
      span.axes = axis_spans(machine, group, count.fullest, shape);
      if (span.nodes == 1) span.hops = hops_between(machine, group[0], group[1], shape);
    }
    if (std::find(spans.begin(), spans.end(), span) == spans.end())
      spans.push_back(std::move(span));
  }
  return spans;
}

}  // namespace flipsat::extract
