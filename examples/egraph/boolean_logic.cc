// Proves formulas equal: both go into one e-graph, and if the rules make their classes one, the
// formulas are equal. Not becoming equal proves nothing by itself; it only says that these rules do
// not show it.
//
// Prints:
//   (-> p q) = (-> (~ q) (~ p)): proved
//   (~ (& p q)) = (| (~ p) (~ q)): proved
//   (& p (| p q)) = p: proved
//   (-> p q) = (-> q p): not shown
#include <array>
#include <iostream>
#include <string>
#include <utility>

#include "egraph/io/text.h"
#include "egraph/runner.h"

using namespace flipsat::egraph;

namespace {

constexpr const char* kLaws = R"(
  implication: (-> ?a ?b) <=> (| (~ ?a) ?b)
  double-not:  (~ (~ ?a)) <=> ?a
  de-morgan:   (~ (& ?a ?b)) <=> (| (~ ?a) (~ ?b))
  and-comm:    (& ?a ?b) => (& ?b ?a)
  or-comm:     (| ?a ?b) => (| ?b ?a)
  absorb:      (& ?a (| ?a ?b)) => ?a
)";

bool are_proved_equal(const std::string& left, const std::string& right) {
  Symbols symbols;
  EGraph graph;
  const auto laws = read_rules(kLaws, "<laws>", symbols);
  const RuleSet rules = make_rules(laws, symbols, graph);
  const ClassId a = add_term(graph, read_term(left, "<left>", symbols), symbols);
  const ClassId b = add_term(graph, read_term(right, "<right>", symbols), symbols);

  // a => (~ (~ a)) applies to its own result and so on: the run needs a limit, and ends early once
  // the answer is there.
  RunOptions options;
  options.limits.iterations = 8;
  options.limits.nodes = 10'000;
  options.after_iteration = [&](EGraph& grown, uint64_t) { return grown.find(a) != grown.find(b); };
  run(graph, rules, options);
  return graph.find(a) == graph.find(b);
}

}  // namespace

int main() {
  const std::array<std::pair<std::string, std::string>, 4> claims = {{
      {"(-> p q)", "(-> (~ q) (~ p))"},
      {"(~ (& p q))", "(| (~ p) (~ q))"},
      {"(& p (| p q))", "p"},
      {"(-> p q)", "(-> q p)"},
  }};
  for (const auto& [left, right] : claims) {
    std::cout << left << " = " << right << ": "
              << (are_proved_equal(left, right) ? "proved" : "not shown") << "\n";
  }
}
