#include "eqsat/extraction.h"

#include <algorithm>

#include "eqsat/saturation.h"

namespace flipsat::eqsat {

CLI::Validator extraction_method() {
  return CLI::IsMember({"tree", "greedy-dag", "local", "exact"});
}

void add_work_option(CLI::App& parser, uint64_t& work) {
  parser.add_option("--work", work, "Steps that local and exact may take at most")
      ->check(whole_number())
      ->capture_default_str();
}

void add_extraction_options(CLI::App& parser, ExtractionArguments& arguments) {
  parser
      .add_option("--method", arguments.method,
                  "tree counts a shared node once for every use; the others once")
      ->check(extraction_method())
      ->capture_default_str();
  add_work_option(parser, arguments.work);
}

Extracted extract(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                  const egraph::CostFunction& cost, const ExtractionArguments& arguments) {
  egraph::SearchOptions options;
  options.most_work = arguments.work;
  if (arguments.method == "tree") return {extract_tree(graph, cost), {}};
  if (arguments.method == "greedy-dag") return {extract_greedy_dag(graph, roots, cost), {}};
  if (arguments.method == "local") return {extract_local(graph, roots, cost, options), {}};
  egraph::BoundedExtraction exact = extract_exact(graph, roots, cost, options);
  return {std::move(exact.extraction), exact.bound};
}

bool can_be_had(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                const egraph::CostFunction& cost) {
  const egraph::Extraction any = extract_tree(graph, cost);
  return std::ranges::all_of(roots,
                             [&](egraph::ClassId root) { return any.has(graph.find(root)); });
}

}  // namespace flipsat::eqsat
