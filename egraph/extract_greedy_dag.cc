#include "egraph/dag/build.h"
#include "egraph/dag/greedy.h"

namespace flipsat::egraph {

Extraction extract_greedy_dag(const EGraph& graph, std::span<const ClassId> roots,
                              const CostFunction& cost, const ExtractOptions& options) {
  const dag::Imported imported = dag::import(graph, roots, cost, options);
  const dag::Components components(imported.problem);
  return to_extraction(
      graph, imported,
      choose_greedily(imported.problem, components, dag::Trees(imported.problem, components)));
}

}  // namespace flipsat::egraph
