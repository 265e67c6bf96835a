// eqsat export FILE.wl: saturates a workload and writes the e-graph for other tools.
#include <memory>

#include "egraph/io/graphviz.h"
#include "egraph/io/serialize.h"
#include "eqsat/commands.h"
#include "eqsat/files.h"
#include "eqsat/saturation.h"

namespace flipsat::eqsat {
namespace {

struct Arguments {
  std::string file;
  std::string dot;
  std::string json;
  size_t max_nodes = egraph::GraphvizOptions().max_nodes;
  SaturationArguments saturation;
};

void run(const Arguments& arguments) {
  if (arguments.dot.empty() && arguments.json.empty()) {
    throw UsageError("nothing to write: give --dot or --json");
  }
  egraph::WorkloadFile workload = read_workload_file(arguments.file, arguments.saturation);
  const Saturated saturated = saturate(workload, arguments.saturation);
  const egraph::EGraph& graph = saturated.graph;
  const egraph::NodeNames names = names_of(graph, workload.symbols);
  if (!arguments.dot.empty()) {
    write_file(arguments.dot, graphviz(graph, names, {arguments.max_nodes, saturated.roots}));
  }
  if (arguments.json.empty()) return;
  write_file(arguments.json, write_serialized(serialize(
                                 graph, names, cost_function(workload, graph), saturated.roots)));
}

}  // namespace

Command export_command(CLI::App& eqsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser =
      eqsat.add_subcommand("export", "Saturate a workload and write its e-graph for other tools");
  parser->add_option("FILE", arguments->file, "The workload (.wl); - is standard input")
      ->required();
  parser->add_option("--dot", arguments->dot, "Graphviz; - is standard output")->type_name("OUT");
  parser->add_option("--json", arguments->json, "egraph-serialize JSON; - is standard output")
      ->type_name("OUT");
  parser->add_option("--max-nodes", arguments->max_nodes, "Nodes in the Graphviz picture at most")
      ->check(whole_number())
      ->capture_default_str();
  add_saturation_options(*parser, arguments->saturation);
  add_start_option(*parser, arguments->saturation);
  return {parser, [arguments] { run(*arguments); }};
}

}  // namespace flipsat::eqsat
