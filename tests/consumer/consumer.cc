// Uses each part of the library that is linked separately: engine, extraction, text, JSON.
#include <iostream>

#include "egraph/extract.h"
#include "egraph/io/serialize.h"
#include "egraph/io/text.h"
#include "egraph/runner.h"

int main() {
  using namespace flipsat::egraph;
  Symbols symbols;
  EGraph graph;
  const ClassId sum = add_term(graph, read_term("(+ x 0)", "<term>", symbols), symbols);
  const auto text = read_rules("zero: (+ ?a 0) => ?a", "<rules>", symbols);
  const RuleSet rules = make_rules(text, symbols, graph);
  const RunReport report = run(graph, rules);

  const auto one = [](NodeId) { return Cost{1}; };
  const NodeNames names = names_of(graph, symbols);
  const std::string best = term_text(graph, extract_tree(graph, one), graph.find(sum), names);
  const std::string json =
      write_serialized(serialize(graph, names, one, std::vector{graph.find(sum)}));
  std::cout << to_string(report.stop) << ": " << best << "\n";
  return best == "x" && read_serialized(json, "<json>").nodes.size() == graph.node_count() ? 0 : 1;
}
