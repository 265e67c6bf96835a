// The state of a loop, element by element: what goes in, what the body makes of it, and what stays
// the same in every iteration.
#pragma once

#include <optional>
#include <vector>

#include "hlo/call_graph.h"
#include "hlo/module.h"

namespace flipsat::hlo {

struct LoopState {
  InstructionId loop = kNoId;
  InstructionId init = kNoId;  // a tuple; its operands are the elements before the first iteration
  ComputationId condition = kNoId;
  ComputationId body = kNoId;
  InstructionId condition_parameter = kNoId;
  InstructionId body_parameter = kNoId;
  InstructionId root = kNoId;  // of the body: a tuple of the elements after an iteration
};

// Nullopt where the state goes in or out as a whole, or where something else calls the body or the
// condition: their parameters then are not only what this loop makes them.
std::optional<LoopState> loop_state(const Module& module, const CallGraph& calls,
                                    InstructionId loop);

// The body hands the element on as it got it, so that in every iteration, and after the loop, it is
// what the init says.
bool is_invariant(const Module& module, const LoopState& state, size_t element);

}  // namespace flipsat::hlo
