// In which order to eliminate variables so that few are joined at a time.
#pragma once

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

struct EliminationOrder {
  // By turn: the variable, and its neighbours that are left then.
  std::vector<Number> variables;
  std::vector<std::vector<Number>> neighbours;
  std::vector<Number> turn;  // by variable; kNoId for roots, which are no variables
};

// Fewest neighbours first. Nullopt if a variable has more than `widest` at its turn.
std::optional<EliminationOrder> elimination_order(const Problem& problem, size_t widest,
                                                  uint64_t& work);

}  // namespace flipsat::egraph::dag
