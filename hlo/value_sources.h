// Where a value that is only passed on comes from: through tuples, calls, fusions, branches,
// barriers and unchanged loop state to the instructions that compute it.
#pragma once

#include <optional>
#include <vector>

#include "hlo/call_graph.h"
#include "hlo/module.h"

namespace flipsat::hlo {

// True for instructions whose result is another instruction's, or an element of it: parameters,
// get-tuple-element, call, fusion, while, opt-barrier.
bool passes_on(Opcode opcode);

// The computing instructions that `id`, an array that is passed on, may be (several where a
// computation has several callers). Nullopt, with `obstacle` set, where one of them is an entry
// parameter, changing loop state, a branch's result, or part of what another instruction computes.
std::optional<std::vector<InstructionId>> value_sources(const Module& module,
                                                        const CallGraph& calls, InstructionId id,
                                                        InstructionId& obstacle);

}  // namespace flipsat::hlo
