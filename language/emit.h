// One e-node as an HLO instruction.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "language/import.h"

namespace flipsat::language {

// Does an attribute speak of a value, whatever computes it?
bool is_of_the_value(hlo::AttributeKey key);

// Of instructions of one module.
class Emitter {
 public:
  Emitter(const hlo::Module& input, const Import& import, HloGraph& hlo);

  // The instruction of a node over the given operands of `module`. `stands_for` is the instruction
  // of the input whose value it takes over, or kNoId: layout and metadata come from it. Adds a
  // reducer to the module where it has none that serves. No name, and of channels only that there
  // will be one: see set_channel.
  hlo::Instruction emit(hlo::Module& module, NodeId node, std::vector<hlo::InstructionId> operands,
                        hlo::InstructionId stands_for);

  static void set_channel(hlo::Instruction& instruction, int64_t channel);

 private:
  void add_attributes(hlo::Module& module, NodeId node, hlo::Instruction& instruction);
  void add_collective_attributes(hlo::Module& module, NodeId node, hlo::Instruction& instruction);
  void give_layout(const hlo::Module& module, hlo::InstructionId stands_for,
                   hlo::Instruction& instruction) const;
  hlo::ComputationId reducer_for(hlo::Module& module, const hlo::Reducer& reducer,
                                 const std::vector<hlo::InstructionId>& models);
  hlo::InstructionId like(NodeId node, hlo::InstructionId stands_for) const;

  const hlo::Module& input_;
  const Import& import_;
  HloGraph& hlo_;
  std::unordered_map<NodeId, hlo::InstructionId> origin_;  // nodes of the input; never walked
  std::map<std::pair<hlo::ReducerKind, hlo::ElementType>, hlo::ComputationId> reducers_;  // added
  bool prints_layouts_ = false;
};

}  // namespace flipsat::language
