#include <stdexcept>

#include "egraph/dag/build.h"
#include "egraph/dag/exact.h"

namespace flipsat::egraph {
namespace {

BoundedExtraction search(const EGraph& graph, std::span<const ClassId> roots,
                         const CostFunction& cost, const SearchOptions& options, bool proves) {
  const dag::Imported imported = dag::import(graph, roots, cost, options);
  dag::BranchOptions branch_options;
  branch_options.most_work = options.most_work;
  branch_options.proves = proves;
  if (proves) {
    branch_options.solver = options.solver;
    branch_options.solver_limit = options.solver_limit;
  }
  const dag::Solution solution = dag::solve(imported.problem, branch_options);
  BoundedExtraction result;
  result.extraction = to_extraction(graph, imported, solution.selection);
  // What is told is what the answer costs, not what the search believes of it.
  result.cost = result.extraction.dag_cost(graph, roots, cost);
  result.bound = solution.bound;
  result.work = solution.work;
  if (result.bound > result.cost) throw std::logic_error("extraction: cost below its bound");
  return result;
}

}  // namespace

Extraction extract_local(const EGraph& graph, std::span<const ClassId> roots,
                         const CostFunction& cost, const SearchOptions& options) {
  return search(graph, roots, cost, options, false).extraction;
}

BoundedExtraction extract_exact(const EGraph& graph, std::span<const ClassId> roots,
                                const CostFunction& cost, const SearchOptions& options) {
  return search(graph, roots, cost, options, true);
}

}  // namespace flipsat::egraph
