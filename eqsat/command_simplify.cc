// eqsat simplify --rules FILE 'TERM': saturates from one term and prints the cheapest equal one.
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
  std::string term;
  SaturationArguments saturation;
  ExtractionArguments extraction;
  bool stats = false;
};

void run(const Arguments& arguments) {
  const std::optional<solvers::Program> solver = solver_program(arguments.extraction);
  egraph::WorkloadFile language = read_language(arguments.saturation);
  const bool is_piped = arguments.term == "-";
  const egraph::TextTerm term =
      egraph::read_term(is_piped ? read_file("-") : arguments.term,
                        is_piped ? "<standard input>" : "<term>", language.symbols);

  egraph::EGraph graph;
  const egraph::ClassId root = egraph::add_term(graph, term, language.symbols);
  const egraph::RuleSet rules = egraph::make_rules(language.rules, language.symbols, graph);
  const egraph::RunReport report =
      egraph::run(graph, rules, run_options(arguments.saturation, language));
  const egraph::CostFunction cost = cost_function(language, graph);
  const std::vector roots = {root};
  const egraph::Extraction best =
      extract(graph, roots, cost, arguments.extraction, solver).extraction;
  if (!best.has(graph.find(root))) throw UsageError("every term has a part that is unusable");
  if (arguments.stats) {
    print(fmt::format("; cost {}; {} nodes, {} classes, {} iterations, {}\n",
                      best.dag_cost(graph, roots, cost), graph.node_count(), graph.class_count(),
                      report.iterations.size(), to_string(report.stop)));
  }
  print(term_text(graph, best, root, names_of(graph, language.symbols)) + '\n');
}

}  // namespace

Command simplify_command(CLI::App& eqsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = eqsat.add_subcommand("simplify", "Print the cheapest term equal to a term");
  parser->add_option("TERM", arguments->term, "Such as '(+ x 0)'; - is standard input")->required();
  add_language_option(*parser, arguments->saturation);
  add_saturation_options(*parser, arguments->saturation);
  add_extraction_options(*parser, arguments->extraction);
  parser->add_flag("--stats", arguments->stats, "First a line of what was done");
  return {parser, [arguments] { run(*arguments); }};
}

}  // namespace flipsat::eqsat
