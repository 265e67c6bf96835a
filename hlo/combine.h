// Writing combined collectives: batches of a module's collectives become one instruction each.
#pragma once

#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

struct CombinedBatch {
  std::vector<InstructionId> members;  // dead now
  InstructionId combined = kNoId;
  std::vector<InstructionId> elements;  // one for each member
};

// Replaces every batch (members of one computation that `combined_form` says are alike, in the
// order that their operands shall have; no launch may come to depend on itself) by a combined
// collective and the elements of its result. Instructions keep their order but for users that stand
// before an operand of what they now use: these move down just enough.
std::vector<CombinedBatch> combine(Module& module,
                                   const std::vector<std::vector<InstructionId>>& batches);

}  // namespace flipsat::hlo
