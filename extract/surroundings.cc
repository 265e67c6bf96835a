#include "extract/collective.h"
#include "extract/program_cost.h"

namespace flipsat::extract {
namespace {

using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

constexpr int kSteps = 4;

// Operations that rules carry collectives through.
bool is_passed(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kGetTupleElement) return true;
  if (!instruction.shape.is_array()) return instruction.opcode == Opcode::kReduce;
  if (hlo::elementwise_arity(instruction.opcode) > 0) return true;
  switch (instruction.opcode) {
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<bool> collective_surroundings(const Module& input) {
  std::vector<bool> marked(input.instructions.size(), false);
  std::vector<InstructionId> reached;
  for (hlo::ComputationId computation : input.order) {
    for (InstructionId id : input.computations[computation].instructions) {
      if (!as_collective(input, input[id])) continue;
      marked[id] = true;
      reached.push_back(id);
    }
  }
  const std::vector<std::vector<InstructionId>> users = hlo::users_of(input);
  std::vector<InstructionId> next;
  auto visit = [&](InstructionId id) {
    if (marked[id]) return;
    if (input[id].opcode == Opcode::kConstant && input[id].shape.is_array()) {
      marked[id] = input[id].shape.rank() == 0;  // what an operation pads with, or begins with
      return;
    }
    const bool is_passed_through = is_passed(input[id]);
    if (!is_passed_through && input[id].opcode != Opcode::kDot) return;
    marked[id] = true;
    // A dot is work that rules touch, but nothing is carried through it.
    if (is_passed_through) next.push_back(id);
  };
  for (int step = 0; step < kSteps && !reached.empty(); ++step) {
    next.clear();
    for (InstructionId id : reached) {
      for (InstructionId operand : input[id].operands) visit(operand);
      for (InstructionId user : users[id]) visit(user);
    }
    reached.swap(next);
  }
  return marked;
}

}  // namespace flipsat::extract
