// The order in which XLA's passes walk a computation: from what nobody uses, in text order, control
// predecessors before operands (the last of them first), operands left to right.
#pragma once

#include <vector>

#include "hlo/module.h"

namespace flipsat::passes {

std::vector<hlo::InstructionId> post_order(const hlo::Module& module,
                                           hlo::ComputationId computation);
// The same of some instructions of a computation, in its order, with all that they need.
std::vector<hlo::InstructionId> post_order(const hlo::Module& module,
                                           const std::vector<hlo::InstructionId>& list);

}  // namespace flipsat::passes
