// reduce-scale
//
//   negate(R(x)) = R(negate(x))
//   R(x) * s = R(x * s)              s the same on all members of a group
//   R(x) / s = R(x / s)              floats
//
// R an all-reduce or reduce-scatter that adds. Exact for integers; reassoc for floats: negation
// moves the sign of a zero sum, and what is scaled first may over- or underflow. s is a scalar
// broadcast to all elements, so that it is the same wherever an element is scattered to.
//
// Scaling commutes with so much that it is moved only where it stands between a reduction and a
// sum: into a reduction that is a term of one.
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kScale{"scale"};
constexpr ClassVar kFactor{"factor"};

bool is_term_of_sum(const HloGraph& h, ClassId cls) {
  for (NodeId parent : h.graph().parents(cls)) {
    if (h.op(parent).kind == Kind::kSum) return true;
  }
  return false;
}

Verdict may_scale(const HloGraph& h, const Match& m, hlo::Numerics allowed) {
  const hlo::Reducer& reducer = *h.collective(m.node(kReduction)).reducer;
  if (reducer.kind != hlo::ReducerKind::kAdd) return refuse("the reduction does not add");
  const bool is_exact = hlo::is_integer(reducer.type);
  if (!is_exact && allowed < hlo::Numerics::kReassoc) {
    return refuse("scaling a sum or its terms rounds otherwise (--numerics reassoc)");
  }
  if (!is_term_of_sum(h, m.root())) return refuse("no sum to be a term of");
  return accept();
}

ClassId reduce_scaled(HloGraph& h, NodeId reduction, ClassId scaled) {
  const language::CollectiveIndex collective = h.op(reduction).collective;
  if (h.op(reduction).kind == Kind::kAllReduce) {
    return h.all_reduce(scaled, collective, {reduction});
  }
  return h.reduce_scatter(scaled, dim_of(h, reduction), collective, {reduction});
}

void add_negate(RuleBook& book, Kind kind, const std::string& name) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  book.add(
      book.rule("negate/" + name, unary(Kind::kElementwise, kScale, unary(kind, kReduction, kX)))
          .where([&h, allowed](const Match& m) -> Verdict {
            if (h.op(m.node(kScale)).opcode != hlo::Opcode::kNegate) return refuse("no scaling");
            return may_scale(h, m, allowed);
          })
          .then([&h](EGraph&, const Match& m) -> Outcome {
            const ClassId x = m[kX];
            return reduce_scaled(h, m.node(kReduction),
                                 h.elementwise(m.node(kScale), {&x, 1}, h.dims(x)));
          })
          .looks_elsewhere());
}

// The scalar that a factor repeats for every element, and the broadcast that does so (kNoId where
// the factor is a scalar itself).
struct Factor {
  ClassId scalar = egraph::kNoId;
  NodeId broadcast = egraph::kNoId;
};

Factor factor_of(const HloGraph& h, ClassId cls) {
  if (h.shape(cls).rank() == 0) return {cls, egraph::kNoId};
  for (NodeId node : h.graph().nodes(cls)) {
    if (h.op(node).kind != Kind::kBroadcast) continue;
    const ClassId of = h.graph().children(node)[0];
    if (h.shape(of).rank() == 0) return {of, node};
  }
  return {};
}

void add_scale(RuleBook& book, Kind kind, const std::string& name, bool factor_first) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  std::vector<Pattern> children{kFactor};
  children.insert(factor_first ? children.end() : children.begin(), unary(kind, kReduction, kX));
  book.add(book.rule((factor_first ? "factor-first/" : "factor-last/") + name,
                     egraph::node(language::kind_number(Kind::kElementwise), kScale,
                                  std::move(children)))
               .where([&h, allowed, factor_first](const Match& m) -> Verdict {
                 const hlo::Opcode opcode = h.op(m.node(kScale)).opcode;
                 const bool divides = opcode == hlo::Opcode::kDivide;
                 if (opcode != hlo::Opcode::kMultiply && !(divides && !factor_first)) {
                   return refuse("no scaling");
                 }
                 const NodeId reduction = m.node(kReduction);
                 if (divides && !hlo::is_float(h.op(reduction).shape.type)) {
                   return refuse("integer division rounds");
                 }
                 const Factor factor = factor_of(h, m[kFactor]);
                 if (factor.scalar == egraph::kNoId) return refuse("the factor is no scalar");
                 if (!h.uniform(factor.scalar, *h.collective(reduction).groups)) {
                   return refuse("the factor differs inside a group");
                 }
                 return may_scale(h, m, allowed);
               })
               .then([&h, factor_first](EGraph&, const Match& m) -> Outcome {
                 const ClassId x = m[kX];
                 const Factor factor = factor_of(h, m[kFactor]);
                 // Another rule has just merged its class, and lists are whole once it is rebuilt.
                 if (factor.scalar == egraph::kNoId) return refuse("the factor is no scalar");
                 const ClassId wide = factor.broadcast == egraph::kNoId
                                          ? factor.scalar
                                          : h.broadcast(factor.broadcast, factor.scalar, h.dims(x));
                 const ClassId operands[] = {factor_first ? wide : x, factor_first ? x : wide};
                 return reduce_scaled(h, m.node(kReduction),
                                      h.elementwise(m.node(kScale), operands, h.dims(x)));
               })
               .looks_elsewhere());
}

void add(RuleBook& book) {
  book.before_all([numerics = book.options().numerics](HloGraph& h) { add_sums(h, numerics); });
  for (Kind kind : {Kind::kAllReduce, Kind::kReduceScatter}) {
    const std::string name(language::to_string(kind));
    add_negate(book, kind, name);
    add_scale(book, kind, name, true);
    add_scale(book, kind, name, false);
  }
}

}  // namespace

Family reduce_scale() {
  return {
      {.name = "reduce-scale",
       .family = "sums",
       .equation = "R(x) * s = R(x * s), -R(x) = R(-x), R adds",
       .condition = "s is a scalar that is the same on all members of a group; floats: reassoc; "
                    "only where the product is a term of a sum",
       .both_directions = false},
      add};
}

}  // namespace flipsat::rules
