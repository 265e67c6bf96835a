// The extractor: local search on the true cost, then the exact optimum of the relaxation and a
// local search from there, and how far from the best possible the result may be.
#pragma once

#include "egraph/dag/branch.h"
#include "extract/local_search.h"

namespace flipsat::extract {

struct ExtractionResult {
  language::Selection selection;
  StateCost start;  // of the program that the state held
  StateCost best;
  std::optional<int64_t> bound;  // no program costs less, in the objective's unit
};

// From the program that `state` holds, never worse than it; leaves `state` at the result.
// `proof`: of each exact solution.
ExtractionResult extract(Problem& problem, ProgramState& state, const SearchOptions& options,
                         const egraph::dag::BranchOptions& proof);

}  // namespace flipsat::extract
