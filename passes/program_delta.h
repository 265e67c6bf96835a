// What a patched copy of a module has otherwise than the module: a small part of a large one.
//
// One working copy can so be each of many programs in turn, at the cost of what was changed.
#pragma once

#include <utility>
#include <vector>

#include "hlo/module.h"

namespace flipsat::passes {

class ProgramDelta {
 public:
  ProgramDelta() = default;  // of the base itself
  // `program` was made from a copy of `base` by hlo/editor.h.
  ProgramDelta(const hlo::Module& base, const hlo::Module& program);

  // From the base to the program, and back again.
  void apply(hlo::Module& module) const;
  void revert(const hlo::Module& base, hlo::Module& module) const;

 private:
  std::vector<std::pair<hlo::InstructionId, hlo::Instruction>> changed_;
  std::vector<hlo::Instruction> added_;
  struct List {
    hlo::ComputationId computation;
    std::vector<hlo::InstructionId> instructions;
    hlo::InstructionId root;
  };
  std::vector<List> lists_;
  std::vector<hlo::Computation> added_computations_;
  std::vector<hlo::ComputationId> order_;  // where computations were added
};

}  // namespace flipsat::passes
