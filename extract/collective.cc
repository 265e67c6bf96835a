#include "extract/collective.h"

#include "extract/program_cost.h"
#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;
using hlo::Shape;

// The instruction that says what an async-start launches: itself where the opcode is written on it,
// else the collective in the computation that it wraps; null if there is none.
const Instruction* wrapped_collective(const Module& module, const Instruction& start) {
  if (start.wrapped) return hlo::is_collective(*start.wrapped) ? &start : nullptr;
  for (hlo::ComputationId called : start.called_computations()) {
    for (hlo::InstructionId id : module.computations[called].instructions) {
      if (hlo::is_collective(module[id].opcode)) return &module[id];
    }
  }
  return nullptr;
}

// The result proper: asynchronous starts of gathers carry their operands in front.
const Shape& result_shape(const Instruction& instruction) {
  const Shape& shape = instruction.shape;
  bool carries_operands =
      instruction.opcode == Opcode::kAsyncStart || instruction.opcode == Opcode::kAllGatherStart;
  if (carries_operands && shape.is_tuple() && shape.parts->size() >= 2) return (*shape.parts)[1];
  return shape;
}

// Operands that hold data: a ragged exchange and a permute in place have offsets and the buffer to
// write to as further operands.
size_t data_operands(Opcode opcode, const Instruction& instruction) {
  if (opcode == Opcode::kRaggedAllToAll) return 1;
  if (instruction.has(hlo::AttributeKey::kSliceSizes)) return 1;
  return instruction.operands.size();
}

void see_type(const Shape& shape, bool first, hlo::ElementType& type) {
  type = first || type == shape.type ? shape.type : hlo::ElementType::kTuple;
}

}  // namespace

std::optional<Collective> as_collective(const Module& module, const Instruction& instruction) {
  Collective collective;
  if (instruction.opcode == Opcode::kAsyncStart) {
    collective.description = wrapped_collective(module, instruction);
  } else if (hlo::is_collective(instruction.opcode)) {
    collective.description = &instruction;
  }
  if (!collective.description) return std::nullopt;
  const Instruction& description = *collective.description;
  collective.opcode = hlo::synchronous(description.wrapped.value_or(description.opcode));

  const size_t count =
      std::min(description.operands.size(), data_operands(collective.opcode, description));
  for (size_t i = 0; i < count; ++i) {
    const Shape& operand = module[description.operands[i]].shape;
    see_type(operand, i == 0, collective.type);
    collective.bytes = saturating_add(collective.bytes, operand.byte_size());
  }
  if (collective.opcode == Opcode::kAllGather) {
    collective.bytes = result_shape(description).byte_size();
  }
  return collective;
}

int64_t wire_bytes(Opcode opcode, int64_t bytes, int64_t group_size) {
  opcode = hlo::synchronous(opcode);
  if (opcode == Opcode::kCollectivePermute) return bytes;
  if (group_size < 2) return 0;
  if (opcode == Opcode::kCollectiveBroadcast) return bytes;
  const Wide rounds = opcode == Opcode::kAllReduce ? 2 : 1;
  const Wide others = static_cast<Wide>(group_size - 1);
  const Wide size = static_cast<Wide>(group_size);
  return saturating_narrow(divide_rounding_up(rounds * static_cast<Wide>(bytes) * others, size));
}

}  // namespace flipsat::extract
