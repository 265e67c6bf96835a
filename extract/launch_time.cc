// Times of launches. On a node the fabric decides the algorithm; over several nodes a launch is
// taken apart as the hierarchical algorithms do it: a gather first between nodes, then within; a
// scatter the other way round; an all-reduce as scatter within, all-reduce between, gather within.
//
// Every part rises by a picosecond a byte at least, which no wire of a preset outruns but for
// two-rank groups on the fastest of them: so time is strictly increasing in bytes, in integers.

#include <algorithm>
#include <cassert>

#include "extract/group_span.h"
#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

using hlo::Opcode;

constexpr int64_t kPicosecondsPerSecond = 1'000'000'000'000;

// What an algorithm does with a launch's bytes: so many steps, and this part of them over a wire.
struct Work {
  int64_t steps = 0;
  int64_t numerator = 0;
  int64_t denominator = 1;
};

int64_t rounds(Opcode opcode) { return opcode == Opcode::kAllReduce ? 2 : 1; }

bool is_all_to_all(Opcode opcode) {
  return opcode == Opcode::kAllToAll || opcode == Opcode::kRaggedAllToAll;
}

Work ring_work(Opcode opcode, int64_t members) {
  if (opcode == Opcode::kCollectivePermute) return {1, 1, 1};
  if (opcode == Opcode::kCollectiveBroadcast) return {members - 1, 1, 1};
  if (is_all_to_all(opcode)) return {1, members - 1, members};
  return {rounds(opcode) * (members - 1), rounds(opcode) * (members - 1), members};
}

Picoseconds transfer_time(int64_t bytes, int64_t numerator, int64_t denominator,
                          int64_t bytes_per_second) {
  // Keeps the product below within 128 bits; the fraction of so large a group is 1 or 2.
  while (numerator > int64_t{1} << 23 || denominator > int64_t{1} << 23) {
    numerator = (numerator + 1) / 2;
    denominator = std::max<int64_t>(denominator / 2, 1);
  }
  Wide time = divide_rounding_up(
      static_cast<Wide>(bytes) * static_cast<Wide>(numerator) * kPicosecondsPerSecond,
      static_cast<Wide>(denominator) * static_cast<Wide>(bytes_per_second));
  return std::max(bytes, saturating_narrow(time));
}

Picoseconds link_time(const Link& link, const Work& work, int64_t bytes) {
  Picoseconds moving =
      transfer_time(bytes, work.numerator, work.denominator, link.bytes_per_second);
  return saturating_add(saturating_multiply(work.steps, link.step), moving);
}

int64_t ceil_log2(int64_t value) {
  int64_t log = 0;
  while ((int64_t{1} << log) < value) ++log;
  return log;
}

// Mesh, recursive doubling and ring move the same bytes; what the first two save in steps they lose
// in contention. How much is not published, but at which sizes the runtime changes over is: each
// algorithm's line starts at its own latency and meets the next one's at that size.
Picoseconds staged_time(const Machine& machine, Opcode opcode, int64_t bytes, int64_t members) {
  const Work ring = ring_work(opcode, members);
  if (bytes >= machine.doubling_bytes || ring.steps == 1) {
    return link_time(machine.on_node, ring, bytes);
  }
  auto latency = [&](int64_t steps) {
    return saturating_multiply(rounds(opcode) * steps, machine.on_node.step);
  };
  const CurvePoint ring_start = {machine.doubling_bytes,
                                 link_time(machine.on_node, ring, machine.doubling_bytes)};
  const Curve doubling = {opcode, members, {{0, latency(ceil_log2(members))}, ring_start}};
  if (bytes >= machine.mesh_bytes) return curve_time(doubling, bytes);
  const CurvePoint doubling_start = {machine.mesh_bytes, curve_time(doubling, machine.mesh_bytes)};
  return curve_time({opcode, members, {{0, latency(1)}, doubling_start}}, bytes);
}

Picoseconds torus_time(const Machine& machine, Opcode opcode, int64_t bytes,
                       const GroupSpan& span) {
  const int64_t link = machine.on_node.bytes_per_second;
  if (opcode == Opcode::kCollectivePermute) {
    return link_time(machine.on_node, {span.hops, 1, 1}, bytes);
  }
  int64_t steps = 0;
  int64_t bytes_per_second = 0;
  Picoseconds slowest_exchange = 0;
  for (const AxisSpan& axis : span.axes) {
    steps += axis.stride * (axis.wraps ? axis.members / 2 : axis.members - 1);
    bytes_per_second += std::max<int64_t>(link * (axis.wraps ? 2 : 1) / axis.stride, 1);
    // Half of what each member sends crosses the middle of the axis.
    slowest_exchange = std::max(slowest_exchange, transfer_time(bytes, axis.members * axis.stride,
                                                                axis.wraps ? 8 : 4, link));
  }
  const Picoseconds latency =
      saturating_multiply(saturating_multiply(rounds(opcode), steps), machine.on_node.step);
  if (is_all_to_all(opcode)) return saturating_add(latency, slowest_exchange);
  const Work ring = ring_work(opcode, span.per_node);
  return saturating_add(latency,
                        transfer_time(bytes, ring.numerator, ring.denominator, bytes_per_second));
}

// The curve of the smallest measured group that holds `members`, else of the largest.
const Curve* find_curve(const Machine& machine, Opcode opcode, int64_t members) {
  const Curve* best = nullptr;
  for (const Curve& curve : machine.curves) {
    if (curve.opcode != opcode) continue;
    if (!best) {
      best = &curve;
    } else if (curve.devices >= members) {
      if (best->devices < members || curve.devices < best->devices) best = &curve;
    } else if (best->devices < members && curve.devices > best->devices) {
      best = &curve;
    }
  }
  return best;
}

// Without the machine's launch time.
Picoseconds on_node_time(const Machine& machine, Opcode opcode, int64_t bytes,
                         const GroupSpan& span) {
  if (span.per_node < 2) return 0;
  if (const Curve* curve = find_curve(machine, opcode, span.per_node)) {
    return curve_time(*curve, bytes) - machine.launch;
  }
  switch (machine.fabric) {
    case Fabric::kStaged:
      return staged_time(machine, opcode, bytes, span.per_node);
    case Fabric::kTorus:
      return torus_time(machine, opcode, bytes, span);
    case Fabric::kSwitch:
      break;
  }
  return link_time(machine.on_node, ring_work(opcode, span.per_node), bytes);
}

Picoseconds off_node_time(const Machine& machine, Opcode opcode, int64_t bytes, int64_t nodes) {
  return link_time(machine.off_node, ring_work(opcode, nodes), bytes);
}

// Without the machine's launch time.
Picoseconds several_nodes_time(const Machine& machine, Opcode opcode, int64_t bytes,
                               const GroupSpan& span) {
  const int64_t share = saturating_narrow(
      divide_rounding_up(static_cast<Wide>(bytes), static_cast<Wide>(span.per_node)));
  switch (opcode) {
    case Opcode::kCollectivePermute:
      return off_node_time(machine, opcode, bytes, span.nodes);
    case Opcode::kAllReduce:
      return saturating_add(
          off_node_time(machine, opcode, share, span.nodes),
          saturating_add(on_node_time(machine, Opcode::kReduceScatter, bytes, span),
                         on_node_time(machine, Opcode::kAllGather, bytes, span)));
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
      return saturating_add(off_node_time(machine, opcode, share, span.nodes),
                            on_node_time(machine, opcode, bytes, span));
    default:
      return saturating_add(off_node_time(machine, opcode, bytes, span.nodes),
                            on_node_time(machine, opcode, bytes, span));
  }
}

}  // namespace

Picoseconds launch_time_over(const Machine& machine, Opcode opcode, int64_t bytes,
                             const std::vector<GroupSpan>& spans) {
  // Devices alone with themselves copy.
  if (spans.empty()) return memory_time(machine, saturating_add(bytes, bytes));
  opcode = hlo::synchronous(opcode);
  Picoseconds slowest = 0;
  for (const GroupSpan& span : spans) {
    Picoseconds moving = span.nodes == 1 ? on_node_time(machine, opcode, bytes, span)
                                         : several_nodes_time(machine, opcode, bytes, span);
    slowest = std::max(slowest, saturating_add(machine.launch, moving));
  }
  return slowest;
}

Picoseconds launch_time(const Machine& machine, Opcode opcode, int64_t bytes,
                        const hlo::DeviceGroups& groups) {
  return launch_time_over(machine, opcode, bytes, group_spans(machine, groups));
}

Picoseconds memory_time(const Machine& machine, int64_t bytes) {
  return saturating_narrow(divide_rounding_up(static_cast<Wide>(bytes) * kPicosecondsPerSecond,
                                              static_cast<Wide>(machine.memory_bytes_per_second)));
}

Picoseconds matrix_time(const Machine& machine, int64_t flops) {
  return saturating_narrow(divide_rounding_up(static_cast<Wide>(flops) * kPicosecondsPerSecond,
                                              static_cast<Wide>(machine.matrix_flops_per_second)));
}

}  // namespace flipsat::extract
