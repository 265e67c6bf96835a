// What a machine is to the cost model: a handful of integer figures.
//
// A node is `devices_per_node` consecutive device ids joined by one fabric; nodes are joined by a
// slower network. Where a launch was measured, a curve through the measured points takes the place
// of the fabric's formula. docs/cost-model.md has the formulas, docs/machines.md the file format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "extract/machine.h"

namespace flipsat::extract {

struct Link {
  Picoseconds step = 0;          // latency of one step of an algorithm
  int64_t bytes_per_second = 0;  // one direction: per device, on a torus per link
  bool operator==(const Link&) const = default;
};

// How a node's devices are joined, hence which algorithm a launch takes.
enum class Fabric : uint8_t {
  kSwitch,  // all to all through a switch: rings
  kStaged,  // mesh for small, recursive doubling for middling, ring for large messages
  kTorus,   // a ring or a line along each axis, all axes at once
};

struct CurvePoint {
  int64_t bytes = 0;
  Picoseconds time = 0;
  bool operator==(const CurvePoint&) const = default;
};

// A measured launch. Strictly increasing, by at least a picosecond a byte, see make_curve.
struct Curve {
  hlo::Opcode opcode = hlo::Opcode::kAllReduce;
  int64_t devices = 0;  // serves groups up to this size that no smaller curve serves
  std::vector<CurvePoint> points;
  bool operator==(const Curve&) const = default;
};

struct Machine {
  std::string name;
  Fabric fabric = Fabric::kSwitch;
  int64_t devices_per_node = 1;
  Picoseconds launch = 0;  // what a launch costs before anything moves
  Link on_node;
  Link off_node;

  int64_t mesh_bytes = 0;      // kStaged: mesh up to here,
  int64_t doubling_bytes = 0;  // recursive doubling up to here, ring above

  int axes = 0;               // kTorus
  int64_t wrap_multiple = 0;  // kTorus: a whole axis closes to a ring if a multiple of this long

  std::vector<Curve> curves;

  int64_t memory_bytes_per_second = 0;
  int64_t matrix_flops_per_second = 0;  // bf16
  int64_t tile_rows = 0;  // rows of a memory tile; 0: memory is linear and no reshape moves bytes
  bool operator==(const Machine&) const = default;
};

// A curve from measured points (at least one, by rising bytes). Times are raised where needed so
// that every byte takes a picosecond at least and the first point is not below `launch` plus its
// bytes: measured stretches that are flat or fall get the smallest slope that integers can show.
Curve make_curve(hlo::Opcode opcode, int64_t devices, std::vector<CurvePoint> points,
                 Picoseconds launch);

// Between points by straight lines, below the first at a picosecond a byte, above the last with the
// slope of the last stretch.
Picoseconds curve_time(const Curve& curve, int64_t bytes);

// The built-in machines, default first.
const std::vector<Machine>& built_in_machines();

// A machine from the text of a JSON file; `file` is for messages. Throws hlo::InputError.
Machine machine_from_json(const std::string& text, const std::string& file);

}  // namespace flipsat::extract
