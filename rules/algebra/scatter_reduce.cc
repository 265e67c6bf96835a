// scatter-reduce
//
//   RS_d,G2(AR_G1(x)) = AR_G1(RS_d,G2(x)),  aligned(G2 over G1)
//
// Integers, min, max, and, or: exact; sums and products of floats are added up in another order of
// groups: reassoc. The right side sums what is left after the scatter.
#include "hlo/group_algebra.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kScatter{"scatter"};

Verdict pass_each_other(const HloGraph& h, const Match& m, hlo::Numerics allowed) {
  const language::Collective& sum = h.collective(m.node(kReduction));
  const language::Collective& scatter = h.collective(m.node(kScatter));
  if (sum.reducer != scatter.reducer) return refuse("the collectives reduce differently");
  if (!hlo::is_aligned(*scatter.groups, *sum.groups)) return refuse("the groups are not aligned");
  return may_regroup(*sum.reducer, allowed) ? accept() : refuse(kNoRegrouping);
}

void add(RuleBook& book) {
  HloGraph& h = book.hlo();
  hlo::Numerics allowed = book.options().numerics;
  const auto guard = [&h, allowed](const Match& m) { return pass_each_other(h, m, allowed); };
  book.add(book.rule("forward", reduce_scatter(kScatter, all_reduce(kReduction, kX)))
               .where(guard)
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId scatter = m.node(kScatter), sum = m.node(kReduction);
                 ClassId first = h.reduce_scatter(m[kX], dim_of(h, scatter),
                                                  h.op(scatter).collective, {scatter});
                 return h.all_reduce(first, h.op(sum).collective, {sum});
               }));
  book.add(book.rule("backward", all_reduce(kReduction, reduce_scatter(kScatter, kX)))
               .where(guard)
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId scatter = m.node(kScatter), sum = m.node(kReduction);
                 ClassId first = h.all_reduce(m[kX], h.op(sum).collective, {sum});
                 return h.reduce_scatter(first, dim_of(h, scatter), h.op(scatter).collective,
                                         {scatter});
               }));
}

}  // namespace

Family scatter_reduce() {
  return {{.name = "scatter-reduce",
           .family = "collective algebra",
           .equation = "RS_d(AR(x)) = AR(RS_d(x))",
           .condition = "the scatter's groups are aligned over the sum's; float sums: reassoc"},
          add};
}

}  // namespace flipsat::rules
