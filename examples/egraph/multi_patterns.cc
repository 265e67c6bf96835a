// A rule with two patterns: two products that read the same matrix become one product of
// concatenated right sides, and each is a part of it.
//
// Prints:
//   (matmul x a) = (split0 (matmul x (concat a b)))
//   (matmul x b) = (split1 (matmul x (concat a b)))
//   (matmul y c) = (matmul y c)
#include <iostream>

#include "egraph/extract.h"
#include "egraph/io/print.h"
#include "egraph/io/text.h"
#include "egraph/runner.h"

using namespace flipsat::egraph;

int main() {
  Symbols symbols;
  EGraph graph;
  const auto op = [&](const char* name) { return symbols.intern(graph, symbols.head(name)); };
  const OperatorId matmul = op("matmul"), concat = op("concat");
  const OperatorId split0 = op("split0"), split1 = op("split1");
  const auto term = [&](const char* text) {
    return add_term(graph, read_term(text, "<term>", symbols), symbols);
  };
  const ClassId first = term("(matmul x a)"), second = term("(matmul x b)");
  const ClassId other = term("(matmul y c)");

  // The patterns are joined on `x`: the engine goes from one product through its operand to the
  // others that read it, and never looks at pairs that share nothing. A match of (p, q) comes also
  // as (q, p) and as (p, p): the guard keeps the first. `as` names the class of a pattern.
  const ClassVar x{"x"}, a{"a"}, b{"b"}, p{"p"}, q{"q"};
  RuleSet rules;
  rules.add(Rule("share-operand", exact(matmul, {x, a}).as(p))
                .also(exact(matmul, {x, b}).as(q))
                .where([=](const Match& m) { return m[p] < m[q] ? accept() : refuse("seen"); })
                .then([=](EGraph& grown, const Match& m) {
                  const ClassId left = m[p], right = m[q];
                  const ClassId both = grown.add(matmul, {m[x], grown.add(concat, {m[a], m[b]})});
                  grown.merge(left, grown.add(split0, {both}));
                  grown.merge(right, grown.add(split1, {both}));
                  return Outcome::done();
                }));
  RunOptions options;
  options.limits.iterations = 1;  // the new product reads x too, and could be joined in turn
  run(graph, rules, options);

  // A split is free; of the two products the joined one is taken, for the sake of the example.
  const CostFunction cost = [&](NodeId node) -> Cost {
    return graph.op(node) == matmul ? (graph.op(graph.children(node)[1]) == concat ? 5 : 20) : 1;
  };
  const Extraction best = extract_tree(graph, cost);
  const NodeNames names = names_of(graph, symbols);
  for (const auto& [text, cls] :
       {std::pair{"(matmul x a)", first}, {"(matmul x b)", second}, {"(matmul y c)", other}}) {
    std::cout << text << " = " << term_text(graph, best, graph.find(cls), names) << "\n";
  }
}
