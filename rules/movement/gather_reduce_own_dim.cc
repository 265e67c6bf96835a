// gather-reduce-own-dim
//
//   reduce_D(AG_d(x), v) = AR(reduce_D(x, v)), d in D
//
// Who gathers only to reduce along the gathered dim can reduce what it has, and then over the
// group. Each member begins with v, so v must be reduced to itself: zero in a sum, one in a
// product, else the same on all members. exact where the order of the reduction does not show (min,
// max, and, or, integers); a float sum is regrouped: reassoc.
#include "rules/movement/movement.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kReduce{"reduce"};
constexpr ClassVar kInit{"init"};

// Of the gather, as an all-reduce: in which no order of members counts.
std::optional<language::CollectiveIndex> as_all_reduce(HloGraph& h, NodeId gather,
                                                       const hlo::Reducer& reducer) {
  if (!h.collective(gather).steering.empty()) return std::nullopt;
  auto collective = h.collectives().with_groups(h.op(gather).collective,
                                                h.collective(gather).groups->without_order());
  if (!collective) return std::nullopt;
  return h.collectives().with_reducer(*collective, reducer);
}

void add(RuleBook& book) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule("forward", egraph::node(language::kind_number(Kind::kReduce), kReduce,
                                             {all_gather(kGather, kX), kInit}))
               .where([&h, allowed](const Match& m) -> Verdict {
                 const NodeId reduce = m.node(kReduce), gather = m.node(kGather);
                 const Operator& op = h.op(reduce);
                 if (std::ranges::find(op.ints, dim_of(h, gather)) == op.ints.end()) {
                   return refuse("the gathered dim is not reduced");
                 }
                 if (!may_regroup(*op.reducer, allowed)) {
                   return refuse("a float sum is made in another order (--numerics reassoc)");
                 }
                 language::Collective by = h.collective(gather);
                 by.reducer = op.reducer;
                 if (!is_kept_by_reduction(h, m[kInit], by)) {
                   return refuse("the initial value would be reduced with itself");
                 }
                 return accept();
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId reduce = m.node(kReduce), gather = m.node(kGather);
                 const auto collective = as_all_reduce(h, gather, *h.op(reduce).reducer);
                 if (!collective) return refuse("the groups cannot be written for an all-reduce");
                 const ClassId reduced = h.reduce(reduce, m[kX], m[kInit], h.op(reduce).ints);
                 return h.all_reduce(reduced, *collective, {gather});
               })
               .looks_elsewhere());
}

}  // namespace

Family gather_reduce_own_dim() {
  return {{.name = "gather-reduce-own-dim",
           .family = "data movement",
           .equation = "reduce_D(AG_d(x), v) = AR(reduce_D(x, v)), d in D",
           .condition =
               "v is zero in a sum, zero or one in a product, else the same on all members of a "
               "group; float sums: reassoc",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
