// reduce-dot
//
//   dot(R(a), u) = R(dot(a, u)),  R all-reduce, or reduce-scatter along a free dim, of sums
//
// exact, for integers of one type: a dot is linear in each operand, and sums that wrap earlier are
// other sums. Floats are not: infinity times (0 + 1) is no NaN. u is the same on all members. The
// same with the operands exchanged.
#include "rules/dots/dots.h"

namespace flipsat::rules {
namespace {

Verdict may_pass(const HloGraph& h, NodeId reduction, ClassId other, hlo::ElementType from,
                 hlo::ElementType to) {
  const language::Collective& collective = h.collective(reduction);
  if (collective.reducer->kind != hlo::ReducerKind::kAdd) return refuse("no sum");
  if (!hlo::is_integer(from) || !hlo::is_integer(to)) {
    return refuse("beside infinities a dot of floats is not linear");
  }
  if (from != to) return refuse("the sum would be made in another type");
  if (h.uniform(other, *collective.groups)) return accept();
  return refuse("the other operand differs inside a group");
}

ClassId reduced(HloGraph& h, NodeId reduction, ClassId x, int dim) {
  auto collective = h.collectives().with_reducer(h.op(reduction).collective,
                                                 hlo::Reducer{hlo::ReducerKind::kAdd, h.type(x)});
  if (h.op(reduction).kind == Kind::kAllReduce) return h.all_reduce(x, collective, {reduction});
  return h.reduce_scatter(x, dim, collective, {reduction});
}

void add_kind(RuleBook& book, Kind kind, bool is_left) {
  HloGraph& h = book.hlo();
  const std::string name = std::string(language::to_string(kind)) + "/" + side_name(is_left);
  const bool is_scatter = kind == Kind::kReduceScatter;
  book.add(book.rule("forward/" + name, dot_of(is_left, unary(kind, kReduction, kX), kOther))
               .where([&h, is_left, is_scatter](const Match& m) -> Verdict {
                 NodeId reduction = m.node(kReduction);
                 const DotView view = view_of_dot(h, m.node(kDot), is_left);
                 if (is_scatter && view.place(dim_of(h, reduction)).role != DotRole::kFree) {
                   return refuse("the scattered dim is not free");
                 }
                 return may_pass(h, reduction, m[kOther], h.type(m[kX]),
                                 h.op(m.node(kDot)).shape.type);
               })
               .then([&h, is_left, is_scatter](EGraph&, const Match& m) -> Outcome {
                 NodeId reduction = m.node(kReduction), dot = m.node(kDot);
                 const DotView view = view_of_dot(h, dot, is_left);
                 const int dim = is_scatter ? view.place(dim_of(h, reduction)).result : 0;
                 return reduced(h, reduction, dot_like(h, dot, is_left, m[kX], m[kOther]), dim);
               }));
  book.add(book.rule("backward/" + name, unary(kind, kReduction, dot_of(is_left, kX, kOther)))
               .where([&h, is_left, is_scatter](const Match& m) -> Verdict {
                 NodeId reduction = m.node(kReduction);
                 const DotView view = view_of_dot(h, m.node(kDot), is_left);
                 if (is_scatter) {
                   auto dim = view.dim_of_result(dim_of(h, reduction));
                   if (!dim || view.place(*dim).role != DotRole::kFree) {
                     return refuse("the scattered dim is not this operand's");
                   }
                 }
                 return may_pass(h, reduction, m[kOther], h.op(m.node(kDot)).shape.type,
                                 h.type(m[kX]));
               })
               .then([&h, is_left, is_scatter](EGraph&, const Match& m) -> Outcome {
                 NodeId reduction = m.node(kReduction), dot = m.node(kDot);
                 const DotView view = view_of_dot(h, dot, is_left);
                 const int dim = is_scatter ? *view.dim_of_result(dim_of(h, reduction)) : 0;
                 return dot_like(h, dot, is_left, reduced(h, reduction, m[kX], dim), m[kOther]);
               }));
}

void add(RuleBook& book) {
  for (Kind kind : {Kind::kAllReduce, Kind::kReduceScatter}) {
    for (bool is_left : {true, false}) add_kind(book, kind, is_left);
  }
}

}  // namespace

Family reduce_dot() {
  return {{.name = "reduce-dot",
           .family = kDotFamily,
           .equation = "dot(R(a), u) = R(dot(a, u)), R all-reduce or reduce-scatter",
           .condition = "sums of integers; u the same on all members; a scattered dim is free",
           .order_open = true},
          add};
}

}  // namespace flipsat::rules
