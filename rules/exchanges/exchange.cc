#include "rules/exchanges/exchange.h"

#include "hlo/data_movement.h"

#include <set>

namespace flipsat::rules {
namespace {

constexpr OpVar kOperation{"operation"}, kExchange{"exchange"};
constexpr int kMaxOperands = 8;
constexpr ClassVar kOperands[kMaxOperands] = {{"x0"}, {"x1"}, {"x2"}, {"x3"},
                                              {"x4"}, {"x5"}, {"x6"}, {"x7"}};
constexpr OpVar kExchanges[kMaxOperands] = {{"exchange0"}, {"exchange1"}, {"exchange2"},
                                            {"exchange3"}, {"exchange4"}, {"exchange5"},
                                            {"exchange6"}, {"exchange7"}};

// Which operands are exchanged ('x') and which stay ('u'), in all the ways that rules look for.
std::vector<std::string> operand_lists(Kind kind) {
  std::vector<std::string> lists;
  switch (kind) {
    case Kind::kPad:
    case Kind::kReduce:
      return {"xu"};
    case Kind::kDot:
      return {"xx", "xu", "ux"};
    case Kind::kConcatenate:
      return {"xx", "xu", "ux", "xxx", "xxxx"};
    case Kind::kElementwise:
      return {"x", "xx", "xu", "ux", "xxx", "xxu", "xux", "uxx", "xuu", "uxu", "uux"};
    case Kind::kDynamicSlice:
    case Kind::kDynamicUpdateSlice:
      for (int rank = 1; rank <= kMaxRank; ++rank) {
        const std::string starts(rank, 'u');
        lists.push_back((kind == Kind::kDynamicSlice ? "x" : "xx") + starts);
        if (kind == Kind::kDynamicUpdateSlice) lists.push_back("xu" + starts);
      }
      return lists;
    default:
      return {"x"};
  }
}

// The same transposed, reshaped or reversed back, so that a value that has other users need not be
// exchanged twice. It is said of the operand, too: else the new exchange would be turned back and
// forth for ever.
std::optional<ClassId> inverse(HloGraph& h, NodeId operation, ClassId result,
                               const hlo::Dims& from) {
  const Operator op = h.op(operation);
  if (op.kind == Kind::kReshape) return h.reshape(operation, result, from);
  if (op.kind == Kind::kReverse) return h.reverse(operation, result, op.ints);
  if (op.kind != Kind::kTranspose) return std::nullopt;
  return h.transpose(operation, result, hlo::inverse_permutation(op.ints));
}

class Passages {
 public:
  Passages(RuleBook& book, const Exchange& exchange, Kind kind)
      : book_(book), h_(book.hlo()), exchange_(exchange), kind_(kind) {}

  void add() {
    std::set<size_t> arities;
    for (const std::string& operands : operand_lists(kind_)) {
      add_forward(operands);
      if (arities.insert(operands.size()).second) add_backward(operands.size());
    }
  }

 private:
  // f of exchanged operands as it was matched.
  Crossing forward(const Match& m, const std::string& operands) const {
    Crossing crossing;
    crossing.operation = m.node(kOperation);
    const size_t first = operands.find('x');
    crossing.exchange = m.node(kExchanges[first]);
    crossing.dim = dim_along(crossing.exchange);
    for (size_t i = 0; i < operands.size(); ++i) {
      crossing.operands.push_back(m[kOperands[i]]);
      if (operands[i] == 'x') crossing.exchanged |= 1u << i;
    }
    return crossing;
  }

  Verdict may_go_forward(const Match& m, const std::string& operands) const {
    const Crossing crossing = forward(m, operands);
    const Operator& first = h_.op(crossing.exchange);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!crossing.is_exchanged(i)) continue;
      const Operator& other = h_.op(m.node(kExchanges[i]));
      if (other.collective != first.collective || other.ints != first.ints) {
        return refuse("the operands are not exchanged alike");
      }
    }
    return exchange_.passes(h_, crossing);
  }

  void add_forward(const std::string& operands) {
    HloGraph& h = h_;
    std::vector<Pattern> children;
    for (size_t i = 0; i < operands.size(); ++i) {
      children.push_back(operands[i] == 'x' ? unary(exchange_.kind, kExchanges[i], kOperands[i])
                                            : Pattern(kOperands[i]));
    }
    egraph::Rule rule =
        book_.rule("forward/" + operands,
                   egraph::node(language::kind_number(kind_), kOperation, std::move(children)));
    rule.where(
        [self = *this, operands](const Match& m) { return self.may_go_forward(m, operands); });
    rule.then([self = *this, &h, operands](EGraph& graph, const Match& m) -> Outcome {
      const Crossing crossing = self.forward(m, operands);
      std::vector<NodeId> sources;
      for (size_t i = 0; i < operands.size(); ++i) {
        if (crossing.is_exchanged(i)) sources.push_back(m.node(kExchanges[i]));
      }
      const ClassId before = m.children(kOperation)[operands.find('x')];
      const int dim = *self.exchange_.dim_after(h, crossing);
      const ClassId local = h.with_operands(crossing.operation, crossing.operands);
      const ClassId exchanged = self.exchange_.apply(h, local, dim, sources);
      const hlo::Dims from = h.dims(crossing.operands[0]);
      if (auto back = inverse(h, crossing.operation, exchanged, from)) {
        graph.merge(before, *back);
        graph.merge(crossing.operands[0], *inverse(h, crossing.operation, local, from));
      }
      return exchanged;
    });
    if (exchange_.looks_elsewhere(kind_, operands)) rule.looks_elsewhere();
    book_.add(std::move(rule));
  }

  // What stands below an exchange of f, as it would be if its operands were exchanged. Of several
  // dims before a reshape any will do.
  std::optional<Crossing> backward(const Match& m, size_t arity) const {
    Crossing crossing;
    crossing.operation = m.node(kOperation);
    crossing.exchange = m.node(kExchange);
    for (size_t i = 0; i < arity; ++i) crossing.operands.push_back(m[kOperands[i]]);
    const int after = dim_along(crossing.exchange);
    for (crossing.dim = 0; crossing.dim < std::max(1, rank(crossing)); ++crossing.dim) {
      if (exchange_.dim_after(h_, crossing) != after) continue;
      for (size_t i = 0; i < arity; ++i) {
        if (!exchange_.stays(h_, crossing, i)) crossing.exchanged |= 1u << i;
      }
      // All may be the same everywhere and still not be sent everywhere.
      if (crossing.exchanged == 0) crossing.exchanged = 1;
      return crossing;
    }
    return std::nullopt;
  }

  int rank(const Crossing& crossing) const {
    int largest = 0;
    for (ClassId operand : crossing.operands) {
      largest = std::max(largest, h_.shape(operand).rank());
    }
    return largest;
  }

  Verdict may_go_back(const Match& m, size_t arity) const {
    std::optional<Crossing> crossing = backward(m, arity);
    if (!crossing) return refuse("no dim of the operand holds the same parts");
    for (size_t i = 0; i < arity; ++i) {
      if (crossing->is_exchanged(i) && is_start(h_, *crossing, i)) {
        return refuse("a start index differs");
      }
    }
    if (Verdict verdict = exchange_.passes(h_, *crossing); !verdict) return verdict;
    const bool several = (crossing->exchanged & (crossing->exchanged - 1)) != 0;
    if (!several) return accept();
    for (size_t i = 0; i < arity; ++i) {
      if (crossing->is_exchanged(i) && is_exchanged_elsewhere(*crossing, i)) return accept();
    }
    return refuse("no operand is exchanged elsewhere");
  }

  bool is_exchanged_elsewhere(const Crossing& crossing, size_t operand) const {
    for (NodeId parent : h_.graph().parents(crossing.operands[operand])) {
      const Operator& op = h_.op(parent);
      if (op.kind == exchange_.kind && op.collective == h_.op(crossing.exchange).collective &&
          dim_along(parent) == crossing.dim) {
        return true;
      }
    }
    return false;
  }

  void add_backward(size_t arity) {
    HloGraph& h = h_;
    std::vector<Pattern> children(kOperands, kOperands + arity);
    egraph::Rule rule = book_.rule(
        "backward/" + std::to_string(arity),
        unary(exchange_.kind, kExchange,
              egraph::node(language::kind_number(kind_), kOperation, std::move(children))));
    rule.where([self = *this, arity](const Match& m) { return self.may_go_back(m, arity); });
    rule.then([self = *this, &h, arity](EGraph&, const Match& m) -> Outcome {
      Crossing crossing = *self.backward(m, arity);
      std::vector<ClassId> operands = crossing.operands;
      for (size_t i = 0; i < arity; ++i) {
        if (!crossing.is_exchanged(i)) continue;
        operands[i] = self.exchange_.apply(h, operands[i], crossing.dim, {crossing.exchange});
      }
      return h.with_operands(crossing.operation, operands);
    });
    if (arity > 1) rule.looks_elsewhere();
    book_.add(std::move(rule));
  }

  int dim_along(NodeId exchange) const {
    const std::vector<int64_t>& ints = h_.op(exchange).ints;
    return ints.empty() ? 0 : static_cast<int>(ints[0]);
  }

  RuleBook& book_;
  HloGraph& h_;
  const Exchange exchange_;
  const Kind kind_;
};

}  // namespace

std::vector<Family> exchange_families(const Exchange& exchange,
                                      const std::vector<Passage>& passages) {
  std::vector<Family> families;
  for (const Passage& passage : passages) {
    const std::string operation(language::to_string(passage.kind));
    Family family;
    family.info.name = exchange.name + "-" + operation;
    family.info.family = exchange.family;
    family.info.equation =
        operation + "(" + exchange.name + "(x)) = " + exchange.name + "(" + operation + "(x))";
    family.info.condition = passage.condition;
    family.add = [exchange, kind = passage.kind](RuleBook& book) {
      Passages(book, exchange, kind).add();
    };
    families.push_back(std::move(family));
  }
  return families;
}

bool is_start(const HloGraph& h, const Crossing& crossing, size_t operand) {
  const Kind kind = h.op(crossing.operation).kind;
  return (kind == Kind::kDynamicSlice && operand >= 1) ||
         (kind == Kind::kDynamicUpdateSlice && operand >= 2);
}

bool is_equal(const HloGraph& h, const Crossing& crossing, size_t operand,
              const std::function<bool(const hlo::DevicePartition&)>& holds) {
  const ClassId cls = crossing.operands[operand];
  if (holds(h.equality(cls))) return true;
  if (!is_start(h, crossing, operand)) return false;
  const Operator& op = h.op(crossing.operation);
  const bool is_slice = op.kind == Kind::kDynamicSlice;
  const size_t dim = operand - (is_slice ? 1 : 2);
  const int64_t cut = is_slice ? op.ints[dim] : h.dims(crossing.operands[1])[dim];
  const std::vector<int64_t> starts =
      clamped_starts(h, cls, h.dims(crossing.operands[0])[dim], cut);
  return !starts.empty() && holds(hlo::DevicePartition::of_values(starts));
}

RuleInfo exchange_law(std::string name, std::string equation, std::string condition) {
  return {.name = std::move(name),
          .family = kExchangeFamily,
          .equation = std::move(equation),
          .condition = std::move(condition),
          .both_directions = false};
}

}  // namespace flipsat::rules
