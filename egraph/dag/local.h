// Local search on the cost with sharing.
//
// A move takes a class out of use (its users take other nodes) or brings one in (whoever gains by
// it takes it, and what has become superfluous goes), followed by single improvements around what
// changed. Moves that make the whole dearer are sometimes kept, ever more rarely as the work runs
// out (simulated annealing); the best is remembered.
#pragma once

#include "egraph/dag/components.h"

namespace flipsat::egraph::dag {

struct LocalOptions {
  uint64_t most_work = 0;
  Cost known_bound = 0;  // stops there: nothing is cheaper
};

// Never dearer than `start`, which has a node for every class and no cycle; nor has the result.
Selection search_locally(const Problem& problem, const Components& components, Selection start,
                         const LocalOptions& options, uint64_t& work);

}  // namespace flipsat::egraph::dag
