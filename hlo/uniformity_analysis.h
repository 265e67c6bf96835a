// The fix-point behind uniformity.h: one fact for each array of each value, from "equal everywhere"
// downwards until nothing changes.
//
// Computations are swept callers first and again whenever what they take in changes: the facts of
// their parameters, or of the roots that they call. Every step only makes facts finer, so it ends.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hlo/device_values.h"
#include "hlo/fact_table.h"
#include "hlo/uniformity.h"

namespace flipsat::hlo {

class UniformityAnalysis {
 public:
  UniformityAnalysis(const Module& module, const DeviceCounts& counts, const CallGraph& calls,
                     const UniformityOptions& options);

  void run();

  FactTable& table() { return table_; }
  std::vector<Fact> value_facts();  // by instruction: the meet of its leaves
  std::vector<Fact> take_leaf_facts() { return std::move(facts_); }
  std::vector<size_t> take_leaf_begin() { return std::move(begin_); }

 private:
  using Facts = std::vector<Fact>;

  size_t leaf_count(InstructionId id) const { return begin_[id + 1] - begin_[id]; }
  Fact* leaves(InstructionId id) { return facts_.data() + begin_[id]; }
  Facts leaves_of(InstructionId id) { return Facts(leaves(id), leaves(id) + leaf_count(id)); }
  void fill_unreached();
  void seed_entry(const UniformityOptions& options);
  Facts parameter_facts(const Instruction& parameter, size_t count);

  void sweep(ComputationId computation);
  Facts transfer(InstructionId id);
  Facts meet_of_operands(const Instruction& instruction, size_t count);
  Facts passed_through(const Instruction& instruction, size_t count);
  Facts tuple(const Instruction& instruction);
  Facts element(const Instruction& instruction, size_t count);
  Facts collective(const Instruction& instruction, size_t count);
  Fact after_collective(const Instruction& instruction, Fact operand);
  Facts call(const Instruction& instruction, AttributeKey key, size_t count);
  Facts loop(const Instruction& instruction, size_t count);
  Facts conditional(const Instruction& instruction, size_t count);
  Facts async_start(const Instruction& instruction, size_t count);
  Facts result_of_start(const Instruction& instruction, size_t count);
  Fact refine_by_values(InstructionId id, Fact fact);

  // Sends facts into a computation's parameter; it is swept again if they make a difference.
  void send(ComputationId callee, size_t parameter, const Facts& facts);
  void visit(ComputationId callee);
  ComputationId callee(const Instruction& instruction, AttributeKey key) const;
  bool reducer_is_blind(const Instruction& instruction);

  const Module& module_;
  const DeviceCounts counts_;
  const CallGraph& calls_;
  FactTable table_;
  DeviceValues values_;
  Facts facts_;
  std::vector<size_t> begin_;  // by instruction, one more at the end
  std::vector<bool> visited_, dirty_;
  std::unordered_map<InstructionId, DeviceGroupsRef> groups_;
  std::unordered_map<InstructionId, Fact> value_facts_;
  std::unordered_map<ComputationId, bool> blind_;
};

}  // namespace flipsat::hlo
