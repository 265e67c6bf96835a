// Local search on the cost with sharing.
//
// A move takes a class out of use (its users take other nodes) or brings one in (whoever gains by
// it takes it, and what has become superfluous goes), followed by single improvements around what
// changed. Moves that make the whole dearer are sometimes kept, ever more rarely (simulated
// annealing), several times over; the best of each time is remembered.
#pragma once

#include "egraph/dag/components.h"

namespace flipsat::egraph::dag {

struct LocalOptions {
  uint64_t most_work = 0;
  Cost known_bound = 0;  // stops there: nothing is cheaper
  int rounds = 1;        // of annealing, which share the work
};

struct LocalAnswer {
  Selection best;                   // not dearer than the start; a node for every class, no cycle
  std::vector<Selection> of_round;  // the best of each round
  uint64_t work = 0;
};

// `start` has a node for every class and no cycle.
LocalAnswer search_locally(const Problem& problem, const Components& components, Selection start,
                           const LocalOptions& options);

}  // namespace flipsat::egraph::dag
