// Directed edges: "may be replaced by", not "is equal to". A value may be computed in more than the
// precision that was asked for, but two roundings of one value must not become equal through it.
//
// Prints:
//   (round8 x) and (round16 x) are equal: no
//   (round8 x) may be taken as: x
//   x may be taken as: x
#include <iostream>

#include "egraph/extract.h"
#include "egraph/io/print.h"
#include "egraph/io/text.h"
#include "egraph/runner.h"

using namespace flipsat::egraph;

int main() {
  Symbols symbols;
  EGraph graph;
  const ClassId coarse = add_term(graph, read_term("(round8 x)", "<term>", symbols), symbols);
  const ClassId fine = add_term(graph, read_term("(round16 x)", "<term>", symbols), symbols);
  const ClassId x = add_term(graph, read_term("x", "<term>", symbols), symbols);

  // Not rounding is as good as rounding. `done` says that the code has done all there is to do: it
  // names no class that the root would be equal to.
  const ClassVar a{"a"};
  RuleSet rules;
  for (const char* name : {"round8", "round16"}) {
    const Kind kind = symbols.kind(symbols.head(name));
    rules.add(Rule(name, node(kind, {a})).then([a](EGraph& grown, const Match& m) {
      grown.add_edge(m.root(), m[a]);
      return Outcome::done();
    }));
  }
  run(graph, rules);

  // With equalities instead of edges both would be equal to x, and so to each other.
  const bool equal = graph.find(coarse) == graph.find(fine);
  std::cout << "(round8 x) and (round16 x) are equal: " << (equal ? "yes" : "no") << "\n";

  // Extraction follows the edges, in their direction only.
  const Extraction best = extract_tree(graph, [](NodeId) { return Cost{1}; });
  const NodeNames names = names_of(graph, symbols);
  std::cout << "(round8 x) may be taken as: " << term_text(graph, best, graph.find(coarse), names)
            << "\n"
            << "x may be taken as: " << term_text(graph, best, graph.find(x), names) << "\n";
}
