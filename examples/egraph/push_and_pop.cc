// Trying something: `push` marks a state, `pop` goes back to it, whatever was added, merged or
// learnt in between. Here: is it safe to assume x = 0?
//
// Prints:
//   assuming x = 0: y = 1: no
//   assuming x = 1: y = 1: yes
//   afterwards: 6 nodes, x = 1: no
#include <iostream>

#include "egraph/io/text.h"
#include "egraph/runner.h"

using namespace flipsat::egraph;

int main() {
  Symbols symbols;
  EGraph graph;
  const auto term = [&](const char* text) {
    return add_term(graph, read_term(text, "<term>", symbols), symbols);
  };
  // y is defined as x * (x * 1).
  const ClassId x = term("x"), y = term("y"), zero = term("0"), one = term("1");
  graph.merge(y, term("(* x (* x 1))"));
  const auto text = read_rules("zero: (* 0 ?a) => 0  \n one: (* 1 ?a) => ?a", "<rules>", symbols);
  const RuleSet rules = make_rules(text, symbols, graph);
  graph.rebuild();

  const auto yes = [](bool is) { return is ? "yes" : "no"; };
  const auto try_with = [&](ClassId value, const char* name) {
    graph.push();
    graph.merge(x, value);
    run(graph, rules);
    std::cout << "assuming x = " << name << ": y = 1: " << yes(graph.find(y) == graph.find(one))
              << "\n";
    graph.pop();
  };
  try_with(zero, "0");
  try_with(one, "1");

  std::cout << "afterwards: " << graph.node_count()
            << " nodes, x = 1: " << yes(graph.find(x) == graph.find(one)) << "\n";
}
