#include "verify/twins.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>

#include "verify/same_operation.h"
#include "verify/term.h"

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

uint64_t hash_of(const hlo::Instruction& in, const std::vector<InstructionId>& first) {
  uint64_t hash = static_cast<uint64_t>(in.opcode) << 8 | static_cast<uint64_t>(in.shape.type);
  auto take = [&](uint64_t word) { hash = (hash ^ word) * 0x9e3779b97f4a7c15 + (hash >> 29); };
  for (int64_t size : in.shape.dims) take(static_cast<uint64_t>(size));
  // Many constants are alike but for their value.
  if (in.literal) take(in.literal->bits_at(0).value_or(0));
  for (InstructionId operand : in.operands) take(first[operand]);
  return mix(hash);
}

bool same_operands(const hlo::Instruction& a, const hlo::Instruction& b,
                   const std::vector<InstructionId>& first) {
  return std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    [&](InstructionId x, InstructionId y) { return first[x] == first[y]; });
}

}  // namespace

std::vector<InstructionId> twins_of(const hlo::Module& module) {
  std::vector<InstructionId> first(module.instructions.size());
  std::iota(first.begin(), first.end(), InstructionId{0});
  OperationComparer operations(module, module);
  // The last of those with one hash, and for each the one before it.
  boost::unordered_flat_map<uint64_t, InstructionId> last;
  std::vector<InstructionId> previous(module.instructions.size(), hlo::kNoId);
  for (hlo::ComputationId computation : module.order) {
    last.clear();
    for (InstructionId id : module.computations[computation].instructions) {
      const hlo::Instruction& in = module[id];
      if (!may_have_twins(module, in)) continue;
      auto [found, is_new] = last.try_emplace(hash_of(in, first), id);
      if (is_new) continue;
      for (InstructionId other = found->second; other != hlo::kNoId; other = previous[other]) {
        if (!same_operands(module[other], in, first)) continue;
        if (!operations.same_operation(other, id)) continue;
        first[id] = other;
        break;
      }
      if (first[id] != id) continue;
      previous[id] = found->second;
      found->second = id;
    }
  }
  return first;
}

}  // namespace flipsat::verify
