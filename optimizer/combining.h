// The last step of `--emit-combined`: collectives that share a launch are written as one.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "optimizer/options.h"
#include "optimizer/result.h"

namespace flipsat::optimizer {

struct Combining {
  std::optional<hlo::Module> module;  // a patched copy; nullopt where nothing shares a launch
  std::vector<Change> changes;
  CombinedReport report;
};

// By the packing with the fewest launches that `effort` finds; nothing is written in computations
// of `left_alone`. `changes`: those that have led to the module; returned with the names that now
// hold, and with one more for each batch that has members of the input, which had `input_size`
// instructions.
Combining combine_collectives(const hlo::Module& module, size_t input_size,
                              const hlo::DeviceCounts& counts, const Options& options,
                              std::vector<Change> changes,
                              const std::set<hlo::ComputationId>& left_alone);

}  // namespace flipsat::optimizer
