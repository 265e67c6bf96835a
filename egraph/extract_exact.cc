#include <stdexcept>

#include "egraph/dag/build.h"
#include "egraph/dag/exact.h"

namespace flipsat::egraph {

BoundedExtraction extract_exact(const EGraph& graph, std::span<const ClassId> roots,
                                const CostFunction& cost, const SearchOptions& options) {
  const dag::Imported imported = dag::import(graph, roots, cost, options);
  dag::Solution solution = dag::solve(imported.problem, options.most_work);
  BoundedExtraction result;
  result.extraction = to_extraction(graph, imported, solution.selection);
  // What is said is what the answer costs, not what the search believes of it.
  result.cost = result.extraction.dag_cost(graph, roots, cost);
  result.bound = solution.bound;
  result.work = solution.work;
  if (result.bound > result.cost) throw std::logic_error("extraction: cost below its bound");
  return result;
}

}  // namespace flipsat::egraph
