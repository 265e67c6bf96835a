// Collectives that came in as one of several operands, written as one again.
#pragma once

#include <map>
#include <vector>

#include "hlo/editor.h"
#include "language/hlo_graph.h"

namespace flipsat::language {

struct Regrouped {
  hlo::InstructionId collective = hlo::kNoId;
  std::vector<hlo::InstructionId> members;   // what it replaces
  std::vector<hlo::InstructionId> elements;  // in their places
};

// Of the new collectives in `node_behind`, those of one opcode, one Collective and one dim that
// stand for the same one collective of several operands of the input, which is gone, and of which
// none needs another. The new one takes its channel and metadata. For a module that the editor has
// finished; finish it again afterwards.
std::vector<Regrouped> regroup(const hlo::Module& input, const HloGraph& hlo,
                               const std::map<hlo::InstructionId, NodeId>& node_behind,
                               hlo::Module& module, hlo::ModuleEditor& editor);

}  // namespace flipsat::language
