// An analysis keeps one fact for each class: here the number that its terms are worth, if that is
// known. It folds constants, and a conditional rule asks it: a / a is 1 only where a is known not
// to be 0.
//
// Prints:
//   (2 + 3) / 5 is 1
//   x / x is not known
//   refused: the divisor is not known to differ from 0 (1)
#include <iostream>
#include <optional>

#include "egraph/runner.h"

using namespace flipsat::egraph;

namespace {

enum : Kind { kNumber, kName, kAdd, kDivide };  // the payload of a number is its value

struct Constant {
  std::optional<uint32_t> value;
};

class Folding : public AnalysisOf<Constant> {
 public:
  // What a node is worth, from its operator and from what is known of its children.
  Constant make(const EGraph& graph, NodeId node) const override {
    if (graph.kind(node) == kNumber) return {graph.payload(node)};
    if (graph.kind(node) != kAdd) return {};
    const auto a = graph.data<Constant>(graph.children(node)[0]).value;
    const auto b = graph.data<Constant>(graph.children(node)[1]).value;
    return a && b ? Constant{*a + *b} : Constant{};
  }
  // Two classes have become one: what is known of either is known of both.
  MergeResult merge(Constant& into, const Constant& from) const override {
    const MergeResult result{.into_changed = !into.value && from.value,
                             .from_differs = into.value && !from.value};
    if (!into.value) into.value = from.value;
    return result;
  }
  // A class whose value is known contains that number.
  void modify(EGraph& graph, ClassId cls) override {
    if (const auto value = graph.data<Constant>(cls).value) {
      graph.merge(cls, graph.add(graph.intern(kNumber, *value)));
    }
  }
};

}  // namespace

int main() {
  EGraph graph(std::make_unique<Folding>());
  const auto number = [&](uint32_t value) { return graph.add(graph.intern(kNumber, value)); };
  const OperatorId add = graph.intern(kAdd), divide = graph.intern(kDivide);
  const ClassId x = graph.add(graph.intern(kName));
  const ClassId known = graph.add(divide, {graph.add(add, {number(2), number(3)}), number(5)});
  const ClassId unknown = graph.add(divide, {x, x});

  const ClassVar a{"a"};
  RuleSet rules;
  rules.add(Rule("divide-self", node(kDivide, {a, a}))
                .where([a](const Match& m) {
                  if (m.data<Constant>(a).value.value_or(0) != 0) return accept();
                  return refuse("the divisor is not known to differ from 0");
                })
                .to(exact(graph.intern(kNumber, 1))));
  const RunReport report = run(graph, rules);

  const auto print = [&](const char* term, ClassId cls) {
    const auto value = graph.data<Constant>(cls).value;
    std::cout << term << " is " << (value ? std::to_string(*value) : "not known") << "\n";
  };
  print("(2 + 3) / 5", known);
  print("x / x", unknown);
  for (const auto& [reason, classes] : report.rules[0].refused) {
    std::cout << "refused: " << reason << " (" << classes << ")\n";
  }
}
