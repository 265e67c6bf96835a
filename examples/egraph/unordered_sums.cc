// Children of an unordered kind are a multiset: a sum is one node however its terms are ordered, so
// that no rule for commutativity is needed, and n terms make one node instead of n! orders.
//
// Prints:
//   (a + b + 0) and (0 + b + a) are one node: yes
//   (a + a) and (a) are one node: no
//   (a + b + 0) = (a + b): yes, with 6 nodes in all
#include <algorithm>
#include <iostream>
#include <vector>

#include "egraph/runner.h"

using namespace flipsat::egraph;

int main() {
  enum : Kind { kSum, kZero, kName };
  EGraph graph;
  graph.declare_unordered(kSum);  // before there is any node
  const OperatorId sum = graph.intern(kSum);
  const ClassId zero = graph.add(graph.intern(kZero));
  const ClassId a = graph.add(graph.intern(kName, 0)), b = graph.add(graph.intern(kName, 1));

  const auto yes = [](bool is) { return is ? "yes" : "no"; };
  const ClassId with_zero = graph.add(sum, {a, b, zero});
  std::cout << "(a + b + 0) and (0 + b + a) are one node: "
            << yes(graph.lookup(sum, {zero, b, a}) == with_zero) << "\n";
  graph.add(sum, {a, a});
  std::cout << "(a + a) and (a) are one node: " << yes(graph.lookup(sum, {a}).has_value()) << "\n";

  // A pattern would give an order to the children: such a kind is matched as a whole, and code
  // looks at the children. That a child is zero may come out far from here, without a change of
  // this node: the rule says so, and is searched in full every time.
  const OpVar s{"s"};
  RuleSet rules;
  rules.add(Rule("drop-zero", any_node(kSum, s))
                .where([=](const Match& m) {
                  const bool has = std::ranges::count(m.children(s), m.graph().find(zero)) > 0;
                  return has ? accept() : refuse("no zero among the terms");
                })
                .then([=](EGraph& grown, const Match& m) -> Outcome {
                  std::vector<ClassId> rest(m.children(s).begin(), m.children(s).end());
                  const ClassId none = grown.find(zero);
                  std::erase_if(rest, [&](ClassId term) { return grown.find(term) == none; });
                  if (rest.empty()) return none;
                  if (rest.size() == 1) return rest[0];
                  return grown.add(sum, rest);
                })
                .looks_elsewhere());
  run(graph, rules);
  std::cout << "(a + b + 0) = (a + b): " << yes(graph.lookup(sum, {b, a}) == graph.find(with_zero))
            << ", with " << graph.node_count() << " nodes in all\n";
}
