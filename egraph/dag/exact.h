// Exact extraction with a bound.
#pragma once

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

struct Solution {
  Selection selection;  // builds all roots
  Cost cost = 0;
  Cost bound = 0;
  uint64_t work = 0;
};

Solution solve(const Problem& problem, uint64_t most_work);

}  // namespace flipsat::egraph::dag
