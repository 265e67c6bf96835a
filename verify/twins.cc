#include "verify/twins.h"

#include <map>
#include <numeric>
#include <string>

#include "verify/same_operation.h"

namespace flipsat::verify {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

bool may_have_twins(const hlo::Module& module, const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kParameter:
    case Opcode::kCustomCall:
    case Opcode::kFusion:
    case Opcode::kCall:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kStochasticConvert:
    case Opcode::kOptBarrier:
      return false;
    default:
      return !hlo::has_side_effect(module, instruction);
  }
}

}  // namespace

std::vector<InstructionId> twins_of(const hlo::Module& module) {
  std::vector<InstructionId> first(module.instructions.size());
  std::iota(first.begin(), first.end(), InstructionId{0});
  OperationComparer operations(module, module);
  for (hlo::ComputationId computation : module.order) {
    std::map<std::vector<InstructionId>, std::vector<InstructionId>> seen;  // by what they read
    for (InstructionId id : module.computations[computation].instructions) {
      const hlo::Instruction& instruction = module[id];
      if (!may_have_twins(module, instruction)) continue;
      std::vector<InstructionId> key{static_cast<InstructionId>(instruction.opcode),
                                     static_cast<InstructionId>(instruction.shape.type)};
      for (int64_t size : instruction.shape.dims) key.push_back(static_cast<InstructionId>(size));
      if (instruction.literal) {  // many constants are alike but for their value
        key.push_back(static_cast<InstructionId>(instruction.literal->bits_at(0).value_or(0)));
      }
      for (InstructionId operand : instruction.operands) key.push_back(first[operand]);
      std::vector<InstructionId>& alike = seen[key];
      for (InstructionId other : alike) {
        if (!module[other].shape.same_value_shape(instruction.shape)) continue;
        if (!operations.same_operation(other, id)) continue;
        first[id] = other;
        break;
      }
      if (first[id] == id) alike.push_back(id);
    }
  }
  return first;
}

}  // namespace flipsat::verify
