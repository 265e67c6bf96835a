#include "rules/sums.h"

#include "hlo/open_order.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {

using hlo::Opcode;

std::optional<hlo::ReducerKind> reducer_kind_of(Opcode opcode, hlo::ElementType type) {
  const bool is_pred = type == hlo::ElementType::kPred;
  switch (opcode) {
    case Opcode::kAdd:
      return hlo::ReducerKind::kAdd;
    case Opcode::kMultiply:
      return hlo::ReducerKind::kMultiply;
    case Opcode::kMinimum:
      return hlo::ReducerKind::kMinimum;
    case Opcode::kMaximum:
      return hlo::ReducerKind::kMaximum;
    case Opcode::kAnd:
      return is_pred ? std::optional(hlo::ReducerKind::kAnd) : std::nullopt;
    case Opcode::kOr:
      return is_pred ? std::optional(hlo::ReducerKind::kOr) : std::nullopt;
    default:
      return std::nullopt;
  }
}

namespace {

constexpr int kStepsToReduction = 4;

// The binary node that adds up a class as it was imported; kNoId where there is none.
NodeId addition_in(const HloGraph& h, ClassId cls, hlo::Numerics numerics) {
  for (NodeId node : h.graph().nodes(cls)) {
    const Operator& op = h.op(node);
    if (op.kind != Kind::kElementwise || !op.steering.empty()) continue;
    std::optional<hlo::ReducerKind> reducer = reducer_kind_of(op.opcode, op.shape.type);
    if (!reducer) continue;
    if (hlo::has_open_order({*reducer, op.shape.type}) && numerics < hlo::Numerics::kReassoc) {
      continue;
    }
    return node;
  }
  return egraph::kNoId;
}

// The one addition that uses a class once, if that is all that uses it.
NodeId only_user(const HloGraph& h, ClassId cls) {
  NodeId user = egraph::kNoId;
  for (NodeId parent : h.graph().parents(cls)) {
    if (user != egraph::kNoId) return egraph::kNoId;
    user = parent;
  }
  if (user == egraph::kNoId) return egraph::kNoId;
  return std::ranges::count(h.graph().children(user), cls) == 1 ? user : egraph::kNoId;
}

class Sums {
 public:
  Sums(HloGraph& h, hlo::Numerics numerics) : h_(h), numerics_(numerics) {}

  void add() {
    struct Chain {
      ClassId root;
      Opcode opcode;
      std::vector<ClassId> terms;
    };
    std::vector<Chain> chains;
    for (ClassId cls : h_.graph().classes()) {
      const NodeId top = addition_in(h_, cls, numerics_);
      if (top == egraph::kNoId || is_partial(cls, h_.op(top).opcode)) continue;
      std::vector<ClassId> terms = terms_of(top);
      if (std::ranges::count_if(terms, [&](ClassId term) { return may_be_reduced(term); }) >= 2) {
        chains.push_back({cls, h_.op(top).opcode, std::move(terms)});
      }
    }
    for (const Chain& chain : chains) {
      h_.graph().merge(chain.root, h_.sum(chain.opcode, chain.terms));
    }
  }

 private:
  // Is the class a partial sum that only one more addition uses?
  bool is_partial(ClassId cls, Opcode opcode) const {
    const NodeId user = only_user(h_, cls);
    if (user == egraph::kNoId || h_.op(user).opcode != opcode) return false;
    return addition_in(h_, h_.graph().find(user), numerics_) == user;
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
      const NodeId inner = addition_in(h_, cls, numerics_);
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

  HloGraph& h_;
  hlo::Numerics numerics_;
};

}  // namespace

void collect_sums(HloGraph& h, hlo::Numerics numerics) { Sums(h, numerics).add(); }

}  // namespace flipsat::rules
