// Integer scalars (and small tables) evaluated on every device: where a slice starts, which shard
// is one's own.
//
// Follows any integer or pred expression whose value depends only on constants, iota, partition-id
// and replica-id: arithmetic with the type's own wrapping, comparisons, select, clamp, converts,
// reshapes, copies, broadcasts, slices and dynamic-slices (start clamped) of constant tables,
// tables of tables, calls, elements that loops pass on unchanged. Not loop state or entry
// parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hlo/call_graph.h"
#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::hlo {

class DeviceValues {
 public:
  DeviceValues(const Module& module, const DeviceCounts& counts, const CallGraph& calls);
  ~DeviceValues();

  // The value of a one-element integer or pred instruction on each device; nullopt where unknown.
  std::optional<std::vector<int64_t>> scalar(InstructionId id);

  // The elements of a small integer or pred array (row-major) on each device; nullopt where
  // unknown. One vector stands for all devices where they agree.
  std::optional<std::vector<std::vector<int64_t>>> array(InstructionId id);

  // Why the last `scalar` or `array` gave nothing, in words for the user ("the table %c is elided;
  // dump with
  // --xla_dump_large_constants"), empty if nothing special.
  const std::string& why_unknown() const;

 private:
  struct Evaluator;
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace flipsat::hlo
