// What uniformity_analysis.h makes of collectives and asynchronous pairs.
#include <algorithm>

#include "hlo/reducer.h"
#include "hlo/uniformity_analysis.h"

namespace flipsat::hlo {
namespace {

// Where the results stand in the shape of an asynchronous start: `(operands, results, context..)`,
// but `(destination, source, context)` for copies, and results alone for all-reduce.
size_t result_offset(const Instruction& start) {
  if (!start.shape.is_tuple() || start.opcode == Opcode::kAllReduceStart ||
      start.opcode == Opcode::kCopyStart) {
    return 0;
  }
  return leaf_offset(start.shape, 1);
}

}  // namespace

bool UniformityAnalysis::reducer_is_blind(const Instruction& instruction) {
  for (ComputationId applied : instruction.called_computations()) {
    auto [it, is_new] = blind_.try_emplace(applied, false);
    if (is_new) {
      const auto& inside = module_.computations[applied].instructions;
      it->second = std::all_of(inside.begin(), inside.end(), [&](InstructionId id) {
        Opcode opcode = module_[id].opcode;
        if (opcode == Opcode::kParameter) return true;
        return is_device_blind(opcode) && module_[id].called_computations().empty();
      });
    }
    if (!it->second) return false;
  }
  return true;
}

Fact UniformityAnalysis::after_collective(const Instruction& instruction, Fact operand) {
  Opcode opcode = synchronous(instruction.wrapped.value_or(instruction.opcode));
  const DevicePartition& before = table_[operand];
  if (opcode == Opcode::kCollectivePermute) {
    std::optional<DevicePairs> pairs = device_pairs(instruction, counts_);
    bool simple = pairs && !instruction.has(AttributeKey::kSliceSizes);
    return simple ? table_.intern(after_permute(before, *pairs)) : table_.all_distinct();
  }
  InstructionId id = static_cast<InstructionId>(&instruction - module_.instructions.data());
  auto [it, is_new] = groups_.try_emplace(id);
  if (is_new) it->second = device_groups(instruction, counts_);
  if (!it->second) return table_.all_distinct();
  const DeviceGroups& groups = *it->second;
  std::optional<Reducer> reducer;
  if (ComputationId applied = callee(instruction, AttributeKey::kToApply); applied != kNoId) {
    reducer = recognise_reducer(module_, applied);
  }
  switch (opcode) {
    case Opcode::kAllGather:
      return table_.intern(after_all_gather(before, groups));
    case Opcode::kAllToAll:
      return table_.intern(after_all_to_all(before, groups));
    case Opcode::kAllReduce:
      // A reducer that is not recognised may care for the order of the members.
      return table_.intern(reducer ? after_all_reduce(before, groups, is_idempotent(reducer->kind))
                                   : after_all_gather(before, groups));
    case Opcode::kReduceScatter:
      return table_.intern(reducer
                               ? after_reduce_scatter(before, groups, is_idempotent(reducer->kind))
                               : after_all_to_all(before, groups));
    default:
      return table_.all_distinct();
  }
}

UniformityAnalysis::Facts UniformityAnalysis::collective(const Instruction& instruction,
                                                         size_t count) {
  Facts facts(count, table_.all_distinct());
  if (!reducer_is_blind(instruction)) return facts;
  Opcode opcode = synchronous(instruction.wrapped.value_or(instruction.opcode));
  size_t offset = 0;
  if (opcode != instruction.opcode) {
    offset = result_offset(instruction);
    Facts operands = tuple(instruction);
    for (size_t i = 0; i < offset && i < operands.size(); ++i) facts[i] = operands[i];
  }
  bool mixes_operands = opcode == Opcode::kAllToAll && instruction.operands.size() > 1;
  Fact all = meet_of_operands(instruction, 1)[0];
  for (size_t i = 0; i < instruction.operands.size() && offset + i < count; ++i) {
    Fact operand = leaf_count(instruction.operands[i]) == 1 ? *leaves(instruction.operands[i])
                                                            : table_.all_distinct();
    facts[offset + i] = after_collective(instruction, mixes_operands ? all : operand);
  }
  return facts;
}

UniformityAnalysis::Facts UniformityAnalysis::async_start(const Instruction& instruction,
                                                          size_t count) {
  if (instruction.wrapped && is_collective(*instruction.wrapped)) {
    return collective(instruction, count);
  }
  Facts facts(count, table_.all_distinct());
  size_t offset = result_offset(instruction);
  Facts operands = tuple(instruction);
  for (size_t i = 0; i < std::min(offset, operands.size()); ++i) facts[i] = operands[i];
  ComputationId called = callee(instruction, AttributeKey::kCalls);
  if (called == kNoId) return facts;
  size_t results = leaf_count(module_.computations[called].root);
  Facts inside = call(instruction, AttributeKey::kCalls, results);
  for (size_t i = 0; i < results && offset + i < count; ++i) facts[offset + i] = inside[i];
  return facts;
}

// The results inside the tuple that the matching start made.
UniformityAnalysis::Facts UniformityAnalysis::result_of_start(const Instruction& instruction,
                                                              size_t count) {
  Facts unknown(count, table_.all_distinct());
  if (instruction.operands.size() != 1) return unknown;
  InstructionId start = instruction.operands[0];
  // async-done may follow a chain of async-updates; the tuple is passed along whole.
  size_t offset = result_offset(module_[start]);
  if (offset + count > leaf_count(start)) return unknown;
  return Facts(leaves(start) + offset, leaves(start) + offset + count);
}

}  // namespace flipsat::hlo
