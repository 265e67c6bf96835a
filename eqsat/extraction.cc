#include "eqsat/extraction.h"

namespace flipsat::eqsat {

void add_extraction_options(CLI::App& parser, ExtractionArguments& arguments) {
  parser.add_option("--method", arguments.method, "How shared nodes count: each use, or once")
      ->check(CLI::IsMember({"tree", "greedy-dag", "local", "exact"}))
      ->capture_default_str();
}

egraph::Extraction extract(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                           const egraph::CostFunction& cost, const ExtractionArguments& arguments) {
  if (arguments.method == "tree") return extract_tree(graph, cost);
  if (arguments.method == "exact") { auto r = extract_exact(graph, roots, cost); fprintf(stderr, "cost %lu bound %lu work %lu\n", r.cost, r.bound, r.work); return r.extraction; }
  if (arguments.method == "local") return extract_local(graph, roots, cost);
  return extract_greedy_dag(graph, roots, cost);
}

}  // namespace flipsat::eqsat
