// What collectives a module has: by combiner key, by the computation (loop) that they stand in, and
// which collectives and neighbours of collectives the rules cannot look into.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "extract/program_cost.h"
#include "hlo/devices.h"
#include "hlo/module.h"
#include "tools/json_text.h"

namespace flipsat::tools {

struct ComputationStats {
  std::string name;
  int64_t executions = 0;                      // in one run of the module
  bool unknown_trip_count = false;             // a loop around it counts once
  std::map<std::string, int64_t> collectives;  // by opcode
};

struct ModuleStats {
  std::string input;
  hlo::DeviceCounts counts;
  int64_t instructions = 0;
  int64_t computations = 0;
  std::string untouchable;  // why the module as a whole stays as it is; empty if it need not
  extract::ProgramCost cost;
  std::vector<ComputationStats> loops;  // computations with collectives, in text order
  std::map<std::string, std::vector<std::string>> opaque;  // reason: instructions, in text order
};

// Throws hlo::InputError for a module that is not well formed.
ModuleStats module_stats(const hlo::Module& module, const hlo::DeviceCountOverrides& devices,
                         const extract::CostOptions& cost);

Json stats_record(const ModuleStats& stats);
std::string stats_text(const ModuleStats& stats);

}  // namespace flipsat::tools
