// Simplifies (x + 0) * 1: state what is equal, let the engine find all equal terms, take the
// smallest.
//
// Prints:
//   saturated: 7 nodes in 3 classes
//   smallest: x
#include <iostream>

#include "egraph/extract.h"
#include "egraph/io/print.h"
#include "egraph/runner.h"

using namespace flipsat::egraph;

int main() {
  // Operators are numbers to the engine. Symbols gives names to them: a head is an operator with
  // children, a leaf one without.
  Symbols symbols;
  EGraph graph;
  const SymbolId plus = symbols.head("+"), times = symbols.head("*");
  const OperatorId add = symbols.intern(graph, plus), mul = symbols.intern(graph, times);
  const OperatorId zero = symbols.intern(graph, symbols.leaf("0"));
  const OperatorId one = symbols.intern(graph, symbols.leaf("1"));

  const ClassId x = graph.add(symbols.intern(graph, symbols.leaf("x")));
  const ClassId sum = graph.add(add, {x, graph.add(zero)});
  const ClassId product = graph.add(mul, {sum, graph.add(one)});

  // A rule: what it looks for, and what that is equal to.
  const ClassVar a{"a"}, b{"b"};
  RuleSet rules;
  rules.add(Rule("add-comm", exact(add, {a, b})).to(exact(add, {b, a})));
  rules.add(Rule("mul-comm", exact(mul, {a, b})).to(exact(mul, {b, a})));
  rules.add(Rule("add-zero", exact(add, {a, exact(zero)})).to(a));
  rules.add(Rule("mul-one", exact(mul, {a, exact(one)})).to(a));

  const RunReport report = run(graph, rules);
  std::cout << to_string(report.stop) << ": " << graph.node_count() << " nodes in "
            << graph.class_count() << " classes\n";

  // Every node costs one, so the cheapest term is the smallest.
  const Extraction best = extract_tree(graph, [](NodeId) { return Cost{1}; });
  std::cout << "smallest: " << term_text(graph, best, graph.find(product), names_of(graph, symbols))
            << "\n";
}
