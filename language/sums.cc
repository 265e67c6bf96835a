#include "language/sums.h"

#include <algorithm>

#include "hlo/reducer.h"
#include "language/hlo_graph.h"

namespace flipsat::language {
namespace {

using hlo::Opcode;

constexpr int kStepsToReduction = 4;

class Finder {
 public:
  explicit Finder(const HloGraph& hlo) : h_(hlo) {}

  std::vector<SumChain> find() const {
    std::vector<SumChain> chains;
    for (ClassId cls : h_.graph().classes()) {
      const NodeId top = addition_in(cls);
      if (top == egraph::kNoId || is_partial(cls, h_.op(top).opcode)) continue;
      std::vector<ClassId> terms = terms_of(top);
      if (std::ranges::count_if(terms, [&](ClassId term) { return may_be_reduced(term); }) >= 2) {
        chains.push_back({cls, h_.op(top).opcode, std::move(terms)});
      }
    }
    return chains;
  }

 private:
  // The node that adds up a class; kNoId where there is none.
  NodeId addition_in(ClassId cls) const {
    for (NodeId node : h_.graph().nodes(cls)) {
      const Operator& op = h_.op(node);
      if (op.kind != Kind::kElementwise || !op.steering.empty()) continue;
      if (hlo::reduction_by(op.opcode, op.shape.type)) return node;
    }
    return egraph::kNoId;
  }

  // The one operation that uses a class, if it does so once.
  NodeId only_user(ClassId cls) const {
    NodeId user = egraph::kNoId;
    for (NodeId parent : h_.graph().parents(cls)) {
      if (user != egraph::kNoId) return egraph::kNoId;
      user = parent;
    }
    if (user == egraph::kNoId) return egraph::kNoId;
    return std::ranges::count(h_.graph().children(user), cls) == 1 ? user : egraph::kNoId;
  }

  // Is the class a partial sum that only one more addition uses?
  bool is_partial(ClassId cls, Opcode opcode) const {
    const NodeId user = only_user(cls);
    if (user == egraph::kNoId || h_.op(user).opcode != opcode) return false;
    return addition_in(h_.graph().find(user)) == user;
  }

  // From left to right.
  std::vector<ClassId> terms_of(NodeId top) const {
    const Opcode opcode = h_.op(top).opcode;
    std::vector<ClassId> terms, stack;
    auto push_operands = [&](NodeId sum) {
      const auto operands = h_.graph().children(sum);
      for (size_t i = operands.size(); i-- > 0;) stack.push_back(operands[i]);
    };
    push_operands(top);
    while (!stack.empty()) {
      const ClassId cls = stack.back();
      stack.pop_back();
      const NodeId inner = addition_in(cls);
      if (inner != egraph::kNoId && h_.op(inner).opcode == opcode && is_partial(cls, opcode)) {
        push_operands(inner);
      } else {
        terms.push_back(cls);
      }
    }
    return terms;
  }

  // Is there a reduction a few operations below?
  bool may_be_reduced(ClassId cls, int steps = kStepsToReduction) const {
    const NodeId node = *h_.graph().nodes(cls).begin();
    const Kind kind = h_.op(node).kind;
    if (kind == Kind::kAllReduce || kind == Kind::kReduceScatter) return true;
    if (kind == Kind::kOpaque || steps == 0) return false;
    for (ClassId operand : h_.graph().children(node)) {
      if (may_be_reduced(operand, steps - 1)) return true;
    }
    return false;
  }

  const HloGraph& h_;
};

}  // namespace

std::vector<SumChain> find_sums(const HloGraph& hlo) { return Finder(hlo).find(); }

}  // namespace flipsat::language
