#include "verify/start_marks.h"

#include <algorithm>

#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::InstructionId;
using hlo::Opcode;

int64_t StartMarks::of(InstructionId value, uint32_t part) {
  look_through(module_[value].computation);
  auto found = marks_.find({value, part});
  return found == marks_.end() ? 0 : found->second;
}

void StartMarks::look_through(hlo::ComputationId computation) {
  seen_.resize(module_.computations.size(), false);
  if (seen_[computation]) return;
  seen_[computation] = true;
  for (InstructionId id : module_.computations[computation].instructions) {
    const hlo::Instruction& in = module_[id];
    if (in.opcode == Opcode::kGather || in.opcode == Opcode::kScatter) {
      const hlo::Dims& dims = module_[in.operands[0]].shape.dims;
      if (!dims.empty()) mark(in.operands[1], 0, *std::max_element(dims.begin(), dims.end()));
    }
    bool update = in.opcode == Opcode::kDynamicUpdateSlice;
    if (!update && in.opcode != Opcode::kDynamicSlice) continue;
    const hlo::Dims& whole = module_[in.operands[0]].shape.dims;
    const hlo::Dims& piece = update ? module_[in.operands[1]].shape.dims : in.shape.dims;
    for (size_t i = update ? 2 : 1, dim = 0; i < in.operands.size(); ++i, ++dim) {
      int64_t starts = 1;
      // One operand may hold all starts.
      for (size_t k = 0; k < whole.size(); ++k) {
        if (k == dim || module_[in.operands[i]].shape.rank() == 1) {
          starts = std::max(starts, whole[k] - piece[k] + 1);
        }
      }
      mark(in.operands[i], 0, starts);
    }
  }
}

void StartMarks::mark(InstructionId value, uint32_t part, int64_t starts) {
  std::vector<std::pair<InstructionId, uint32_t>> open = {{value, part}};
  while (!open.empty()) {
    auto [id, at] = open.back();
    open.pop_back();
    const hlo::Instruction& in = module_[id];
    if (hlo::is_float(part_shape(in.shape, at).type)) continue;
    int64_t& mark = marks_[{id, at}];
    if (mark >= starts) continue;
    mark = starts;
    switch (in.opcode) {
      case Opcode::kGetTupleElement: {
        uint32_t inner = at;
        const hlo::Shape& tuple = module_[in.operands[0]].shape;
        for (int64_t i = 0; tuple.is_tuple() && i < in.tuple_index(); ++i) {
          inner += part_count((*tuple.parts)[i]);
        }
        open.push_back({in.operands[0], inner});
        break;
      }
      case Opcode::kCopy:
      case Opcode::kReshape:
      case Opcode::kBitcast:
      case Opcode::kBroadcast:
      case Opcode::kSlice:
      case Opcode::kDynamicSlice:
      case Opcode::kTranspose:
        if (module_[in.operands[0]].shape.is_array()) open.push_back({in.operands[0], 0});
        break;
      default:
        if (hlo::elementwise_arity(in.opcode) == 0) break;
        for (InstructionId operand : in.operands) open.push_back({operand, 0});
    }
  }
}

}  // namespace flipsat::verify
