#include "extract/buffers.h"

#include <algorithm>

namespace flipsat::extract {
namespace {

using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;
using hlo::Shape;

// The result is the operand's buffers.
bool is_name(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAddDependency:
    case Opcode::kAsyncUpdate:
    case Opcode::kBitcast:
    case Opcode::kDomain:
    case Opcode::kOptBarrier:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

bool is_done(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAsyncDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCopyDone:
    case Opcode::kRecvDone:
    case Opcode::kSendDone:
      return true;
    default:
      return false;
  }
}

// Starts whose result is (operands, results, ...).
bool carries_operands_first(Opcode opcode) {
  return opcode == Opcode::kAllGatherStart || opcode == Opcode::kAsyncStart ||
         opcode == Opcode::kCollectivePermuteStart;
}

}  // namespace

BufferPlanner::BufferPlanner(const hlo::Module& module)
    : module_(module), leaves_of_(module.instructions.size()) {}

const std::vector<Buffer>& BufferPlanner::plan(const hlo::Computation& computation) {
  buffers_.clear();
  leaves_.clear();
  element_begins_.clear();
  const auto end = static_cast<uint32_t>(computation.instructions.size());
  for (position_ = 0; position_ < end; ++position_) {
    const InstructionId id = computation.instructions[position_];
    const Instruction& instruction = module_[id];
    // Naming a tuple's element does not read the others.
    if (instruction.opcode != Opcode::kGetTupleElement) {
      for (InstructionId operand : instruction.operands) read(operand, position_);
    }
    define(id, computation.is_entry, end);
  }
  if (computation.root != hlo::kNoId) read(computation.root, end);
  return buffers_;
}

void BufferPlanner::define(InstructionId id, bool is_entry, uint32_t end) {
  const Instruction& instruction = module_[id];
  if (instruction.opcode == Opcode::kParameter) {
    const size_t before = buffers_.size();
    make(id, instruction.shape);
    for (size_t b = before; b < buffers_.size(); ++b) {
      buffers_[b] = {is_entry ? buffers_[b].bytes : 0, 0, end};
    }
  } else if (instruction.opcode == Opcode::kTuple) {
    make_tuple(id);
  } else if (instruction.operands.empty()) {
    make(id, instruction.shape);
  } else if (is_name(instruction.opcode)) {
    share(id, instruction.operands[0], 0);
  } else if (instruction.opcode == Opcode::kGetTupleElement) {
    const InstructionId tuple = instruction.operands[0];
    share(id, tuple, element_begin(tuple, instruction.tuple_index()));
  } else if (is_done(instruction.opcode)) {
    share_done(id);
  } else if (carries_operands_first(instruction.opcode) ||
             instruction.opcode == Opcode::kCopyStart || instruction.opcode == Opcode::kSend) {
    make_start(id);
  } else {
    make(id, instruction.shape);
  }
}

void BufferPlanner::make(InstructionId id, const Shape& shape) {
  const size_t first = leaves_.size();
  auto add = [&](auto& self, const Shape& part) -> void {
    if (part.is_tuple()) {
      for (const Shape& inner : *part.parts) self(self, inner);
      return;
    }
    leaves_.push_back(static_cast<BufferId>(buffers_.size()));
    buffers_.push_back({part.byte_size(), position_, position_});
  };
  add(add, shape);
  leaves_of_[id] = {first, leaves_.size() - first};
}

void BufferPlanner::make_tuple(InstructionId id) {
  const size_t first = leaves_.size();
  for (InstructionId operand : module_[id].operands) {
    const Stretch stretch = leaves_of_[operand];
    for (size_t i = 0; i < stretch.count; ++i) leaves_.push_back(leaves_[stretch.first + i]);
  }
  leaves_of_[id] = {first, leaves_.size() - first};
}

void BufferPlanner::make_start(InstructionId id) {
  const Instruction& start = module_[id];
  make(id, start.shape);
  // A copy's result stands before its operand.
  size_t leaf = leaves_of_[id].first + (start.opcode == Opcode::kCopyStart ? 1 : 0);
  const size_t end = leaves_of_[id].first + leaves_of_[id].count;
  for (InstructionId operand : start.operands) {
    const Stretch stretch = leaves_of_[operand];
    for (size_t i = 0; i < stretch.count; ++i, ++leaf) {
      const BufferId shared = leaves_[stretch.first + i];
      if (leaf >= end || buffers_[leaves_[leaf]].bytes != buffers_[shared].bytes) return;
      buffers_[leaves_[leaf]].bytes = 0;
      leaves_[leaf] = shared;
    }
  }
}

void BufferPlanner::share(InstructionId id, InstructionId operand, size_t begin) {
  const Stretch stretch = leaves_of_[operand];
  const size_t count = hlo::leaf_count(module_[id].shape);
  if (begin + count > stretch.count) {
    make(id, module_[id].shape);  // not the shape that its opcode gives
    return;
  }
  leaves_of_[id] = {stretch.first + begin, count};
}

void BufferPlanner::share_done(InstructionId id) {
  const InstructionId start = module_[id].operands[0];
  const Shape& shape = module_[start].shape;
  const bool is_behind_operands = module_[id].opcode == Opcode::kAllGatherDone ||
                                  module_[id].opcode == Opcode::kAsyncDone ||
                                  module_[id].opcode == Opcode::kCollectivePermuteDone;
  share(id, start, is_behind_operands && shape.is_tuple() ? element_begin(start, 1) : 0);
}

size_t BufferPlanner::element_begin(InstructionId tuple, int64_t index) {
  std::vector<size_t>& begins = element_begins_[tuple];
  const Shape& shape = module_[tuple].shape;
  if (begins.empty()) {
    begins.push_back(0);
    if (shape.is_tuple()) {
      for (const Shape& part : *shape.parts)
        begins.push_back(begins.back() + hlo::leaf_count(part));
    }
  }
  return begins[std::min(static_cast<size_t>(index), begins.size() - 1)];
}

void BufferPlanner::read(InstructionId operand, uint32_t position) {
  const Stretch stretch = leaves_of_[operand];
  for (size_t i = 0; i < stretch.count; ++i) {
    uint32_t& last = buffers_[leaves_[stretch.first + i]].last_read;
    last = std::max(last, position);
  }
}

}  // namespace flipsat::extract
