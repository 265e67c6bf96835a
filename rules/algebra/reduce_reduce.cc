// reduce-reduce
//
//   AR_G2(AR_G1(x)) = AR_G(x),  G the unions of the G1 groups that a G2 group meets
//
// Integers, min, max, and, or: exact; sums and products of floats: reassoc. The unions must be the
// same for every member of them, and where counting twice shows, disjoint. One sum is not taken
// apart: nested sums of one operand are not found side by side in programs, and without a partner
// every factor of a group would be two more.
#include "hlo/group_algebra.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kInner{"inner"}, kOuter{"outer"};

std::optional<hlo::DeviceGroups> unions(const HloGraph& h, const Match& m) {
  const language::Collective& inner = h.collective(m.node(kInner));
  return hlo::nested_reduce(*inner.groups, *h.collective(m.node(kOuter)).groups,
                            hlo::is_idempotent(inner.reducer->kind));
}

void add(RuleBook& book) {
  HloGraph& h = book.hlo();
  hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule("merge", all_reduce(kOuter, all_reduce(kInner, kX)))
               .where([&h, allowed](const Match& m) -> Verdict {
                 if (const char* reason = what_keeps_apart(h, m.node(kInner), m.node(kOuter))) {
                   return refuse(reason);
                 }
                 if (!unions(h, m)) return refuse("the groups do not join into larger ones");
                 if (may_regroup(*h.collective(m.node(kInner)).reducer, allowed)) return accept();
                 return refuse(kNoRegrouping);
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 auto joined =
                     h.collectives().with_groups(h.op(m.node(kOuter)).collective, *unions(h, m));
                 if (!joined) return refuse(kUnsayable);
                 return h.all_reduce(m[kX], *joined, {m.node(kInner), m.node(kOuter)});
               }));
}

}  // namespace

Family reduce_reduce() {
  return {{.name = "reduce-reduce",
           .family = "collective algebra",
           .equation = "AR_G2(AR_G1(x)) = AR_G(x)",
           .condition = "the G1 groups that a G2 group meets are disjoint (unless counting twice "
                        "does not show) and their union G is the same for all its members; float "
                        "sums: reassoc",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
