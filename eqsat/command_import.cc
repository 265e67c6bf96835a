// eqsat import FILE.json: reads an egraph-serialize file, and extracts with the costs in it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "egraph/io/print.h"
#include "egraph/io/serialize.h"
#include "eqsat/commands.h"
#include "eqsat/extraction.h"
#include "eqsat/files.h"
#include "eqsat/saturation.h"

namespace flipsat::eqsat {
namespace {

struct Arguments {
  std::string file;
  std::vector<std::string> methods = {"tree", "greedy-dag"};
  ExtractionArguments search;
  bool terms = false;
};

// In the file's own unit, each node once.
double cost_of(const egraph::ImportedGraph& imported, const egraph::Extraction& chosen) {
  double sum = 0;
  for (const egraph::NodeId node : chosen.nodes(imported.graph, imported.roots)) {
    sum += imported.costs[node];
  }
  return sum;
}

// A bound in the file's unit: whole costs are in proportion to it, `cost` to `total`.
double in_unit_of(double total, egraph::Cost bound, egraph::Cost cost) {
  if (bound == cost) return total;
  return total * (static_cast<double>(bound) / static_cast<double>(cost));
}

// Of those that the methods share; the solver is for the exact one.
std::optional<solvers::Program> solver_program(const Arguments& arguments) {
  ExtractionArguments search = arguments.search;
  if (std::ranges::count(arguments.methods, "exact") > 0) search.method = "exact";
  return eqsat::solver_program(search);
}

void run(const Arguments& arguments) {
  const std::optional<solvers::Program> solver = solver_program(arguments);
  const Stopwatch read_time;
  const egraph::SerializedGraph file =
      egraph::read_serialized(read_file(arguments.file), arguments.file);
  const double read_seconds = read_time.seconds();
  const Stopwatch build_time;
  const egraph::ImportedGraph imported = to_egraph(file, arguments.file);
  const egraph::EGraph& graph = imported.graph;
  print(fmt::format("{} nodes, {} classes, {} roots; read {:.3f} s\n", file.nodes.size(),
                    file.classes.size(), file.roots.size(), read_seconds));
  print(fmt::format("e-graph: {} nodes, {} classes, {} nodes in no finite term; built {:.3f} s\n",
                    graph.node_count(), graph.class_count(), imported.left_out,
                    build_time.seconds()));
  if (file.roots.empty()) return;

  const egraph::CostFunction cost = extraction_costs(imported, arguments.file);
  if (imported.roots.size() != file.roots.size() || !can_be_had(graph, imported.roots, cost)) {
    throw egraph::InputError({arguments.file, 0, 0}, "a root has no finite term to extract");
  }
  for (const std::string& method : arguments.methods) {
    const Stopwatch time;
    ExtractionArguments search = arguments.search;
    search.method = method;
    const auto [chosen, bound, notes] = extract(graph, imported.roots, cost, search, solver);
    const double seconds = time.seconds();
    const double total = cost_of(imported, chosen);
    print(fmt::format(
        "{}: cost {}{}, {} nodes; {:.3f} s\n", method, total,
        bound ? fmt::format(", bound {}",
                            in_unit_of(total, *bound, chosen.dag_cost(graph, imported.roots, cost)))
              : "",
        chosen.nodes(graph, imported.roots).size(), seconds));
    for (const std::string& note : notes) print(note + '\n');
    if (!arguments.terms) continue;
    for (const egraph::ClassId root : imported.roots) {
      print(term_text(graph, chosen, root, names_of(graph, imported.symbols)) + '\n');
    }
  }
}

}  // namespace

Command import_command(CLI::App& eqsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = eqsat.add_subcommand(
      "import", "Read an egraph-serialize file and extract with the costs in it");
  parser->add_option("FILE", arguments->file, "The JSON; - is standard input")->required();
  parser->add_option("--method", arguments->methods, "How to extract; may be given several times")
      ->check(extraction_method())
      ->capture_default_str();
  add_search_options(*parser, arguments->search);
  parser->add_flag("--terms", arguments->terms, "Also the extracted terms");
  return {parser, [arguments] { run(*arguments); }};
}

}  // namespace flipsat::eqsat
