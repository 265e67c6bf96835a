// scatter-scatter
//
//   RS_d,G2(RS_d,G1(x)) = RS_d,G(x),           aligned(G1 over G2), the first applied major
//   RS_e,G2(RS_d,G1(x)) = RS_d,G1(RS_e,G2(x)), e another dim, aligned both ways
//
// Integers, min, max, and, or: exact; sums and products of floats are regrouped: reassoc.
#include "hlo/group_algebra.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kInner{"inner"}, kOuter{"outer"};

std::optional<hlo::DeviceGroups> joined_groups(const HloGraph& h, const Match& m) {
  return hlo::nested_scatter(*h.collective(m.node(kInner)).groups,
                             *h.collective(m.node(kOuter)).groups);
}

Verdict may_be_regrouped(const HloGraph& h, const Match& m, hlo::Numerics allowed) {
  if (may_regroup(*h.collective(m.node(kInner)).reducer, allowed)) return accept();
  return refuse(kNoRegrouping);
}

void add_merge(RuleBook& book) {
  HloGraph& h = book.hlo();
  hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule("merge", reduce_scatter(kOuter, reduce_scatter(kInner, kX)))
               .where([&h, allowed](const Match& m) -> Verdict {
                 if (dim_of(h, m.node(kInner)) != dim_of(h, m.node(kOuter))) {
                   return refuse("the scatters are along two dims");
                 }
                 if (const char* reason = what_keeps_apart(h, m.node(kInner), m.node(kOuter))) {
                   return refuse(reason);
                 }
                 if (!joined_groups(h, m)) return refuse("the groups are not aligned");
                 return may_be_regrouped(h, m, allowed);
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 auto joined = h.collectives().with_groups(h.op(m.node(kOuter)).collective,
                                                           *joined_groups(h, m));
                 if (!joined) return refuse(kUnsayable);
                 return h.reduce_scatter(m[kX], dim_of(h, m.node(kOuter)), *joined,
                                         {m.node(kInner), m.node(kOuter)});
               }));
}

void add_exchange(RuleBook& book) {
  HloGraph& h = book.hlo();
  hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule("exchange", reduce_scatter(kOuter, reduce_scatter(kInner, kX)))
               .where([&h, allowed](const Match& m) -> Verdict {
                 const language::Collective& inner = h.collective(m.node(kInner));
                 const language::Collective& outer = h.collective(m.node(kOuter));
                 if (dim_of(h, m.node(kInner)) == dim_of(h, m.node(kOuter))) {
                   return refuse("the scatters are along one dim");
                 }
                 if (inner.reducer != outer.reducer) {
                   return refuse("the collectives reduce differently");
                 }
                 if (!hlo::is_grid(*inner.groups, *outer.groups)) {
                   return refuse("the groups are not rows and columns");
                 }
                 return may_be_regrouped(h, m, allowed);
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId inner = m.node(kInner), outer = m.node(kOuter);
                 ClassId first =
                     h.reduce_scatter(m[kX], dim_of(h, outer), h.op(outer).collective, {outer});
                 return h.reduce_scatter(first, dim_of(h, inner), h.op(inner).collective, {inner});
               }));
}

void add(RuleBook& book) {
  add_merge(book);
  add_exchange(book);
}

}  // namespace

Family scatter_scatter() {
  return {{.name = "scatter-scatter",
           .family = "collective algebra",
           .equation = "RS_d(RS_d(x)) = RS_d(x), RS_e(RS_d(x)) = RS_d(RS_e(x))",
           .condition = "one dim: the groups are aligned, the first applied is major; two dims: "
                        "they are rows and columns of a grid; float sums: reassoc"},
          add};
}

}  // namespace flipsat::rules
