// Why are two terms equal? A graph that keeps its history can tell, and a checker that knows
// nothing of e-graphs replays the answer.
//
// Prints:
//   (+ (* x y) (* x (+ 0 z)))
//   = (+ (* x (+ 0 z)) (* x y))   by add-comm
//   = (* x (+ (+ 0 z) y))         by distribute
//   = (* x (+ (+ z 0) y))         by add-comm
//   = (* x (+ z y))               by add-zero
//   the checker says: right
#include <iostream>

#include "egraph/explain.h"
#include "egraph/io/explanation_text.h"
#include "egraph/io/text.h"
#include "egraph/runner.h"

using namespace flipsat::egraph;

int main() {
  Symbols symbols;
  EGraph graph;
  graph.keep_history();  // while the graph is empty
  const auto text = read_rules(R"(
    add-comm:   (+ ?a ?b) => (+ ?b ?a)
    add-zero:   (+ ?a 0) => ?a
    distribute: (+ (* ?a ?b) (* ?a ?c)) => (* ?a (+ ?b ?c))
  )",
                               "my.rules", symbols);
  const RuleSet rules = make_rules(text, symbols, graph);
  const auto term = [&](const char* written) {
    return add_term(graph, read_term(written, "<term>", symbols), symbols);
  };
  const ClassId a = term("(+ (* x y) (* x (+ 0 z)))"), b = term("(* x (+ z y))");
  run(graph, rules);

  Explainer explainer(graph, rules);
  const Explanation why = explainer.explain(a, b);
  std::cout << to_string(why, rules, operator_names_of(graph, symbols));

  const Checked checked = check_explanation(why, rules, graph);
  std::cout << "the checker says: " << (checked.is_right ? "right" : checked.what) << "\n";
}
