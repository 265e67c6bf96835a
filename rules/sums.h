// Chains of additions as one node of all their terms (Kind::kSum).
#pragma once

#include <optional>

#include "hlo/numerics.h"
#include "hlo/reducer.h"
#include "language/hlo_graph.h"

namespace flipsat::rules {

// The reduction that the operation on two arrays is a step of.
std::optional<hlo::ReducerKind> reducer_kind_of(hlo::Opcode opcode, hlo::ElementType type);

// Adds a sum to the class of every chain of additions (or of another reduction's operation) whose
// partial sums nobody else uses and of which several terms may be reductions. Chains of floats only
// where sums may be made in another order. For a graph as it was imported.
void collect_sums(language::HloGraph& hlo, hlo::Numerics numerics);

}  // namespace flipsat::rules
