// Local search on the true cost: tries moves over whole groups first (everything that turns one key
// into another), then over equal sites, then one site at a time; keeps what pays; then takes back
// what, seen from the end, buys nothing. Work is bounded by a budget, not by a clock.
#pragma once

#include "extract/moves.h"

namespace flipsat::extract {

struct SearchOptions {
  int64_t work = 4'000'000;    // definitions that pricing may look at, from now on
  std::set<ClassId> given_up;  // classes that stay as the input has them
};

struct SearchResult {
  language::Selection selection;
  StateCost start;
  StateCost best;
  int64_t trials = 0;
  bool exhausted = false;  // the budget bit
};

// From the input's own definitions; never worse than they are.
SearchResult local_search(Problem& problem, ProgramState& state, const SearchOptions& options);

}  // namespace flipsat::extract
