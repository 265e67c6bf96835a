#include "extract/standalone.h"

#include "extract/collective.h"
#include "extract/grouping.h"
#include "extract/machine_model.h"
#include "extract/program_cost.h"

namespace flipsat::extract {

StandaloneCost standalone_cost(const hlo::Module& module, hlo::InstructionId id,
                               const hlo::DeviceCounts& counts, const Machine& machine) {
  StandaloneCost cost;
  std::optional<Collective> collective = as_collective(module, module[id]);
  cost.time = local_work(module, module[id], machine);
  if (!collective) return cost;
  GroupingTable groupings(machine, counts);
  const Grouping& grouping = groupings[groupings.add(module, *collective)];
  cost.wire_bytes = wire_bytes(collective->opcode, collective->bytes, grouping.largest);
  cost.time += launch_time_over(machine, collective->opcode, collective->bytes, grouping.spans);
  return cost;
}

}  // namespace flipsat::extract
