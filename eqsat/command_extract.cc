// eqsat extract FILE.wl: saturates a workload and prints the cheapest terms of its roots.
#include <fmt/format.h>

#include <memory>

#include "egraph/io/print.h"
#include "eqsat/commands.h"
#include "eqsat/extraction.h"
#include "eqsat/files.h"
#include "eqsat/saturation.h"

namespace flipsat::eqsat {
namespace {

struct Arguments {
  std::string file;
  SaturationArguments saturation;
  ExtractionArguments extraction;
  bool costs_only = false;
};

void run(const Arguments& arguments) {
  const std::optional<solvers::Program> solver = solver_program(arguments.extraction);
  egraph::WorkloadFile workload = read_workload_file(arguments.file, arguments.saturation);
  const Saturated saturated = saturate(workload, arguments.saturation);
  const egraph::EGraph& graph = saturated.graph;
  const std::vector<egraph::ClassId>& roots = saturated.roots;
  if (roots.empty()) throw UsageError(arguments.file + " has no root");
  const egraph::CostFunction cost = cost_function(workload, graph);
  for (size_t i = 0; i < roots.size(); ++i) {
    if (!can_be_had(graph, {&roots[i], 1}, cost)) {
      throw UsageError(fmt::format("root {}: every term has a part that is unusable", i));
    }
  }
  const Stopwatch time;
  const auto [best, bound, notes] = extract(graph, roots, cost, arguments.extraction, solver);
  const double seconds = time.seconds();
  print(fmt::format("; {}: cost {}{}, {} roots, {} nodes chosen of {}, {:.3f} s\n",
                    arguments.extraction.method, best.dag_cost(graph, roots, cost),
                    bound ? fmt::format(", bound {}", *bound) : "", roots.size(),
                    best.nodes(graph, roots).size(), graph.node_count(), seconds));
  for (const std::string& note : notes) print("; " + note + '\n');
  for (size_t i = 0; i < roots.size(); ++i) {
    const std::vector root = {roots[i]};
    print(fmt::format("; root {}: cost {}\n", i, best.dag_cost(graph, root, cost)));
    if (arguments.costs_only) continue;
    print(term_text(graph, best, roots[i], names_of(graph, workload.symbols)) + '\n');
  }
}

}  // namespace

Command extract_command(CLI::App& eqsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser =
      eqsat.add_subcommand("extract", "Saturate a workload and print the cheapest terms");
  parser->add_option("FILE", arguments->file, "The workload (.wl); - is standard input")
      ->required();
  add_saturation_options(*parser, arguments->saturation);
  add_start_option(*parser, arguments->saturation);
  add_extraction_options(*parser, arguments->extraction);
  parser->add_flag("--costs", arguments->costs_only, "No terms, only what they cost");
  return {parser, [arguments] { run(*arguments); }};
}

}  // namespace flipsat::eqsat
