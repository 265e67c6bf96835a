// eqsat explain --rules FILE 'TERM' ['TERM']: saturates from the terms and prints why they are
// equal, or with one term why the cheapest term is.
#include <fmt/format.h>

#include <memory>

#include "egraph/io/explanation_text.h"
#include "eqsat/commands.h"
#include "eqsat/extraction.h"
#include "eqsat/files.h"
#include "eqsat/saturation.h"

namespace flipsat::eqsat {
namespace {

struct Arguments {
  std::vector<std::string> terms;
  SaturationArguments saturation;
};

egraph::TermId add_to_pool(egraph::TermPool& pool, const egraph::TextTerm& term,
                           const egraph::Symbols& symbols, egraph::EGraph& graph) {
  std::vector<egraph::TermId> ids, children;
  for (const egraph::TextTerm::Node& node : term.nodes) {
    children.clear();
    for (const uint32_t child : term.children_of(node)) children.push_back(ids[child]);
    ids.push_back(pool.add(symbols.intern(graph, node.symbol), children));
  }
  return ids.back();
}

// The term chosen for a class.
egraph::TermId add_to_pool(egraph::TermPool& pool, const egraph::EGraph& graph,
                           const egraph::Extraction& best, egraph::ClassId root) {
  std::vector<egraph::TermId> of_class(graph.node_bound(), egraph::kNoId), children;
  const std::vector roots = {root};
  for (const egraph::NodeId node : best.nodes(graph, roots)) {
    children.clear();
    for (const egraph::ClassId child : graph.children(node)) {
      children.push_back(of_class[best.resolve(child)]);
    }
    of_class[graph.find(node)] = pool.add(graph.op(node), children);
  }
  return of_class[best.resolve(graph.find(root))];
}

void run(const Arguments& arguments) {
  using namespace egraph;
  WorkloadFile language = read_language(arguments.saturation);

  EGraph graph;
  graph.keep_history();
  TermPool pool;
  std::vector<ClassId> classes;
  std::vector<TermId> terms;
  for (size_t i = 0; i < arguments.terms.size(); ++i) {
    const TextTerm term = read_term(
        arguments.terms[i],
        arguments.terms.size() == 1 ? "<term>" : fmt::format("<term {}>", i + 1), language.symbols);
    classes.push_back(add_term(graph, term, language.symbols));
    terms.push_back(add_to_pool(pool, term, language.symbols, graph));
  }
  const RuleSet rules = make_rules(language.rules, language.symbols, graph);
  const RunReport report = egraph::run(graph, rules, run_options(arguments.saturation, language));
  if (terms.size() == 1) {
    const Extraction best = extract_tree(graph, cost_function(language, graph));
    if (!best.has(graph.find(classes[0]))) {
      throw UsageError("every term has a part that is unusable");
    }
    terms.push_back(add_to_pool(pool, graph, best, classes[0]));
    classes.push_back(classes[0]);
  }
  if (graph.find(classes[0]) != graph.find(classes[1])) {
    throw UsageError(
        fmt::format("the terms were not found to be equal ({})", to_string(report.stop)));
  }
  const Explanation why = Explainer(graph, rules).explain(pool, terms[0], terms[1]);
  const Checked checked = check_explanation(why, rules, graph);
  if (!checked.is_right) throw std::logic_error("the explanation is wrong: " + checked.what);
  print(to_string(why, rules, operator_names_of(graph, language.symbols)));
}

}  // namespace

Command explain_command(CLI::App& eqsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = eqsat.add_subcommand("explain", "Print why terms are equal");
  parser
      ->add_option("TERM", arguments->terms,
                   "One term, to be compared with the cheapest that is equal to it, or two")
      ->required()
      ->expected(1, 2);
  add_language_option(*parser, arguments->saturation);
  add_saturation_options(*parser, arguments->saturation);
  return {parser, [arguments] { run(*arguments); }};
}

}  // namespace flipsat::eqsat
