// eqsat why-not --rules FILE RULE TERM: saturates from a term and prints why a rule does not match
// at its class.
#include <fmt/format.h>

#include <memory>

#include "egraph/io/print.h"
#include "egraph/why_not.h"
#include "eqsat/commands.h"
#include "eqsat/files.h"
#include "eqsat/saturation.h"

namespace flipsat::eqsat {
namespace {

struct Arguments {
  std::string rule;
  std::string term;
  SaturationArguments saturation;
};

void run(const Arguments& arguments) {
  using namespace egraph;
  WorkloadFile language = read_language(arguments.saturation);
  const TextTerm term = read_term(arguments.term, "<term>", language.symbols);

  EGraph graph;
  const ClassId root = add_term(graph, term, language.symbols);
  const RuleSet rules = make_rules(language.rules, language.symbols, graph);
  const uint32_t index = rules.index_of(arguments.rule);
  if (index == kNoId) throw UsageError("there is no rule '" + arguments.rule + "'");
  egraph::run(graph, rules, run_options(arguments.saturation, language));

  const Miss miss = why_not(graph, rules[index], root);
  print(to_string(miss) + '\n');
  if (miss.what == Miss::What::kMatches || miss.cls == kNoId) return;
  const Extraction best = extract_tree(graph, cost_function(language, graph));
  if (!best.has(graph.find(miss.cls))) return;
  print(fmt::format("that class is {}\n", term_text(graph, best, graph.find(miss.cls),
                                                    names_of(graph, language.symbols), 200)));
}

}  // namespace

Command why_not_command(CLI::App& eqsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = eqsat.add_subcommand("why-not", "Print why a rule does not match a term");
  parser->add_option("RULE", arguments->rule, "The rule's name")->required();
  parser->add_option("TERM", arguments->term, "Such as '(+ x 0)'")->required();
  add_language_option(*parser, arguments->saturation);
  add_saturation_options(*parser, arguments->saturation);
  return {parser, [arguments] { run(*arguments); }};
}

}  // namespace flipsat::eqsat
