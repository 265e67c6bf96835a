// What an instruction would cost if it stood alone: for the report's list of changes.
#pragma once

#include "extract/machine.h"
#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::extract {

struct StandaloneCost {
  int64_t wire_bytes = 0;  // collectives
  Picoseconds time = 0;    // a collective as a launch of its own, anything else its local work
};

StandaloneCost standalone_cost(const hlo::Module& module, hlo::InstructionId id,
                               const hlo::DeviceCounts& counts, const Machine& machine);

}  // namespace flipsat::extract
