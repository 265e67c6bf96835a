#include "egraph/dag/build.h"
#include "egraph/dag/greedy.h"
#include "egraph/dag/local.h"

namespace flipsat::egraph {

Extraction extract_local(const EGraph& graph, std::span<const ClassId> roots,
                         const CostFunction& cost, const SearchOptions& options) {
  const dag::Imported imported = dag::import(graph, roots, cost, options);
  const dag::Components components(imported.problem);
  uint64_t work = 0;
  return to_extraction(
      graph, imported,
      search_locally(imported.problem, components,
                     choose_greedily(imported.problem, components,
                                     dag::Trees(imported.problem, components)),
                     {options.most_work, 0}, work));
}

}  // namespace flipsat::egraph
