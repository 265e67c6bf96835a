// Extraction with a bound, every answer costed anew.
#pragma once

#include "egraph/dag/branch.h"

namespace flipsat::egraph::dag {

struct Solution {
  Selection selection;  // builds all roots
  Cost cost = 0;
  Cost bound = 0;
  uint64_t work = 0;
};

Solution solve(const Problem& problem, const BranchOptions& options);

}  // namespace flipsat::egraph::dag
