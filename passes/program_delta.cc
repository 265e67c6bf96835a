#include "passes/program_delta.h"

namespace flipsat::passes {

using hlo::ComputationId;
using hlo::InstructionId;

// An edit that changes more than operands marks the instruction.
ProgramDelta::ProgramDelta(const hlo::Module& base, const hlo::Module& program) {
  for (InstructionId id = 0; id < base.instructions.size(); ++id) {
    if (program[id].touched || program[id].operands != base[id].operands) {
      changed_.emplace_back(id, program[id]);
    }
  }
  added_.assign(program.instructions.begin() + static_cast<int64_t>(base.instructions.size()),
                program.instructions.end());
  for (ComputationId id = 0; id < base.computations.size(); ++id) {
    const hlo::Computation& before = base.computations[id];
    const hlo::Computation& after = program.computations[id];
    if (after.instructions == before.instructions && after.root == before.root) continue;
    lists_.push_back({id, after.instructions, after.root});
  }
  added_computations_.assign(
      program.computations.begin() + static_cast<int64_t>(base.computations.size()),
      program.computations.end());
  if (!added_computations_.empty()) order_ = program.order;
}

void ProgramDelta::apply(hlo::Module& module) const {
  for (const auto& [id, instruction] : changed_) module[id] = instruction;
  module.instructions.insert(module.instructions.end(), added_.begin(), added_.end());
  for (const List& list : lists_) {
    module.computations[list.computation].instructions = list.instructions;
    module.computations[list.computation].root = list.root;
  }
  module.computations.insert(module.computations.end(), added_computations_.begin(),
                             added_computations_.end());
  if (!order_.empty()) module.order = order_;
}

void ProgramDelta::revert(const hlo::Module& base, hlo::Module& module) const {
  for (const auto& change : changed_) module[change.first] = base[change.first];
  module.instructions.resize(base.instructions.size());
  for (const List& list : lists_) {
    module.computations[list.computation].instructions =
        base.computations[list.computation].instructions;
    module.computations[list.computation].root = base.computations[list.computation].root;
  }
  module.computations.resize(base.computations.size());
  if (!order_.empty()) module.order = base.order;
}

}  // namespace flipsat::passes
