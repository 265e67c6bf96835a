// gather-reduce
//
//   AG_d,G2(AR_G1(x)) = AR_G1(AG_d,G2(x)),             aligned(G2 over G1)
//   AG_e,G2(RS_d,G1(x)) = RS_d,G1(AG_e,G2(x)), e != d, aligned both ways
//
// The same sums of the same elements. On the left a group makes each of its sums once and all who
// gather it hold the same; on the right every gatherer's group makes it anew, each in an order of
// its own. So of floats only the way to the left is exact (order-open, a directed edge); both ways
// are `reassoc`.
#include "hlo/group_algebra.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

Verdict pass_each_other(const HloGraph& h, const Match& m) {
  const NodeId reduction = m.node(kReduction), gather = m.node(kGather);
  const hlo::DeviceGroups& inner = *h.collective(reduction).groups;
  const hlo::DeviceGroups& outer = *h.collective(gather).groups;
  if (h.op(reduction).kind == Kind::kReduceScatter) {
    if (dim_of(h, reduction) == dim_of(h, gather)) return refuse("both are along one dim");
    return hlo::is_grid(outer, inner) ? accept() : refuse("the groups are not rows and columns");
  }
  return hlo::is_aligned(outer, inner) ? accept() : refuse("the groups are not aligned");
}

ClassId reduce_like(HloGraph& h, NodeId reduction, ClassId x) {
  const Operator& op = h.op(reduction);
  if (op.kind == Kind::kAllReduce) return h.all_reduce(x, op.collective, {reduction});
  return h.reduce_scatter(x, dim_of(h, reduction), op.collective, {reduction});
}

void add_kind(RuleBook& book, Kind kind, const std::string& name) {
  HloGraph& h = book.hlo();
  hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule("forward/" + name, all_gather(kGather, unary(kind, kReduction, kX)))
               .where([&h, allowed](const Match& m) -> Verdict {
                 if (Verdict verdict = pass_each_other(h, m); !verdict) return verdict;
                 if (may_regroup(*h.collective(m.node(kReduction)).reducer, allowed)) {
                   return accept();
                 }
                 return refuse("a float sum would be made more than once (--numerics reassoc)");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId gather = m.node(kGather);
                 ClassId gathered =
                     h.all_gather(m[kX], dim_of(h, gather), h.op(gather).collective, {gather});
                 return reduce_like(h, m.node(kReduction), gathered);
               }));
  book.add(book.rule("backward/" + name, unary(kind, kReduction, all_gather(kGather, kX)))
               .where([&h](const Match& m) { return pass_each_other(h, m); })
               .then([&h, allowed](EGraph& graph, const Match& m) -> Outcome {
                 const NodeId gather = m.node(kGather), reduction = m.node(kReduction);
                 ClassId reduced = reduce_like(h, reduction, m[kX]);
                 ClassId gathered =
                     h.all_gather(reduced, dim_of(h, gather), h.op(gather).collective, {gather});
                 if (may_regroup(*h.collective(reduction).reducer, allowed)) return gathered;
                 graph.add_edge(m.root(), gathered);
                 return Outcome::done();
               }));
}

void add(RuleBook& book) {
  add_kind(book, Kind::kAllReduce, "all-reduce");
  add_kind(book, Kind::kReduceScatter, "reduce-scatter");
}

}  // namespace

Family gather_reduce() {
  return {
      {.name = "gather-reduce",
       .family = "collective algebra",
       .equation = "AG_d(AR(x)) = AR(AG_d(x)), AG_e(RS_d(x)) = RS_d(AG_e(x))",
       .condition = "the gather's groups are aligned over the sum's; of a scatter they are rows "
                    "and columns of a grid, and e is another dim; float sums: from the right "
                    "to the left alone, else reassoc",
       .order_open = true},
      add};
}

}  // namespace flipsat::rules
