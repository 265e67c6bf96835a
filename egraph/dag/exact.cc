#include "egraph/dag/exact.h"

#include <stdexcept>

namespace flipsat::egraph::dag {

Solution solve(const Problem& problem, const BranchOptions& options) {
  BranchAndBound search(options);
  const BranchAndBound::Answer answer = search.solve(problem);
  std::vector<bool> set(problem.node_count());
  for (const Number node : answer.selection) {
    if (node != kNoId) set[node] = true;
  }
  Solution solution;
  solution.selection = build_from(problem, set);
  // Costed anew on the problem as it was given: no reduction is believed.
  const std::optional<Cost> cost = cost_of(problem, solution.selection);
  if (!cost) throw std::logic_error("extraction: an answer does not build its roots");
  solution.cost = *cost;
  solution.bound = answer.bound;
  solution.work = search.work();
  return solution;
}

}  // namespace flipsat::egraph::dag
