// Chains of additions: what may become one node of all its terms (Kind::kSum).
#pragma once

#include <vector>

#include "egraph/ids.h"
#include "hlo/opcode.h"

namespace flipsat::language {

class HloGraph;

struct SumChain {
  egraph::ClassId root = egraph::kNoId;  // the whole sum
  hlo::Opcode opcode = hlo::Opcode::kAdd;
  std::vector<egraph::ClassId> terms;  // from left to right
};

// The longest chains of additions (or of another reduction's operation) whose partial sums nobody
// else uses and of which several terms may be reductions. For a graph as it was imported.
std::vector<SumChain> find_sums(const HloGraph& hlo);

}  // namespace flipsat::language
