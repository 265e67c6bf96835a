#include "verify/effects.h"

namespace flipsat::verify {

using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

namespace {

bool has_effect(const Instruction& in) {
  switch (in.opcode) {
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kRecv:
    case Opcode::kRngGetAndUpdateState:
      return true;
    case Opcode::kCustomCall:
      return in.bool_attribute(hlo::AttributeKey::kCustomCallHasSideEffect, false);
    default:
      return false;
  }
}

}  // namespace

std::vector<bool> acting_instructions(const Module& module) {
  std::vector<std::vector<InstructionId>> callers(module.computations.size());
  std::vector<bool> acts(module.instructions.size(), false);
  std::vector<bool> is_acting(module.computations.size(), false);
  std::vector<ComputationId> open;
  auto note = [&](InstructionId id) {
    acts[id] = true;
    const ComputationId in = module[id].computation;
    if (!is_acting[in]) open.push_back(in);
    is_acting[in] = true;
  };
  for (ComputationId computation : module.order) {
    for (InstructionId id : module.computations[computation].instructions) {
      for (ComputationId called : module[id].called_computations()) callers[called].push_back(id);
      if (has_effect(module[id])) note(id);
    }
  }
  while (!open.empty()) {
    const ComputationId computation = open.back();
    open.pop_back();
    for (InstructionId caller : callers[computation]) note(caller);
  }
  return acts;
}

}  // namespace flipsat::verify
