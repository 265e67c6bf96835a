// Two ways to choose the cheapest term. `tree` counts a node once for each use, `greedy-dag` once
// at all. They differ where a costly part can be shared.
//
// Prints:
//   tree: (pair (left x) (right x)), computed once each: 18
//   greedy-dag: (pair (first (both x)) (second (both x))), computed once each: 14
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "egraph/extract.h"
#include "egraph/io/print.h"
#include "egraph/io/text.h"
#include "egraph/runner.h"

using namespace flipsat::egraph;

int main() {
  // `both` computes what `left` and `right` compute, for less than the two together.
  const std::map<std::string_view, Cost> costs = {
      {"left", 8}, {"right", 8}, {"both", 10}, {"first", 1}, {"second", 1}, {"pair", 1}, {"x", 1}};
  Symbols symbols;
  EGraph graph;
  const auto text = read_rules(R"(
    left-of-both:  (left ?x) => (first (both ?x))
    right-of-both: (right ?x) => (second (both ?x))
  )",
                               "<rules>", symbols);
  const RuleSet rules = make_rules(text, symbols, graph);
  const ClassId start =
      add_term(graph, read_term("(pair (left x) (right x))", "<term>", symbols), symbols);
  run(graph, rules);

  // The cost of a node by itself, without its children.
  const CostFunction cost = [&](NodeId node) { return costs.at(symbols.name(graph, node)); };
  const std::vector<ClassId> roots = {graph.find(start)};
  const auto print = [&](const char* name, const Extraction& chosen) {
    std::cout << name << ": " << term_text(graph, chosen, roots[0], names_of(graph, symbols))
              << ", computed once each: " << chosen.dag_cost(graph, roots, cost) << "\n";
  };
  // For `tree`, (first (both x)) costs 12 and (left x) 9: it does not see that the second use of
  // `both` is free.
  print("tree", extract_tree(graph, cost));
  print("greedy-dag", extract_greedy_dag(graph, roots, cost));
}
