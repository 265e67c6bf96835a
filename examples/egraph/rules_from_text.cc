// Rules and terms as text, as a user of a program would write them: errors say where.
//
// Prints:
//   5 rules
//   distribute: (* ?a (+ ?b ?c)) => (+ (* ?a ?b) (* ?a ?c))
//   distribute-rev: (+ (* ?a ?b) (* ?a ?c)) => (* ?a (+ ?b ?c))
//   (+ (* x y) (* x z)) = (* x (+ y z))
//   bad.rules:2:21: error: '?c' does not stand on the left
#include <iostream>

#include "egraph/extract.h"
#include "egraph/io/print.h"
#include "egraph/io/text.h"
#include "egraph/runner.h"

using namespace flipsat::egraph;

int main() {
  Symbols symbols;  // must outlive the rules, which hold views of its names
  const std::vector<TextRule> text = read_rules(R"(
    ; One rule a line; <=> is two rules.
    add-comm:   (+ ?a ?b) => (+ ?b ?a)
    mul-comm:   (* ?a ?b) => (* ?b ?a)
    distribute: (* ?a (+ ?b ?c)) <=> (+ (* ?a ?b) (* ?a ?c))
    square:     (sq ?a) => (* ?a ?a)
  )",
                                                "my.rules", symbols);
  std::cout << text.size() << " rules\n";
  for (const size_t index : {2, 3}) {
    std::cout << text[index].name << ": " << to_string(text[index], symbols) << "\n";
  }

  EGraph graph;
  const TextTerm term = read_term("(+ (* x y) (* x z))", "<term>", symbols);
  const ClassId root = add_term(graph, term, symbols);
  RunOptions options;
  options.limits.iterations = 5;
  run(graph, make_rules(text, symbols, graph), options);
  const Extraction best = extract_tree(graph, [](NodeId) { return Cost{1}; });
  std::cout << to_string(term, symbols) << " = "
            << term_text(graph, best, graph.find(root), names_of(graph, symbols)) << "\n";

  // What a user got wrong is an InputError; `what` is ready to be printed.
  try {
    read_rules("add-zero: (+ ?a 0) => ?a\nwrong: (+ ?a ?b) => ?c\n", "bad.rules", symbols);
  } catch (const InputError& error) {
    std::cout << error.what() << "\n";
  }
}
