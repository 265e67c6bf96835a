// gather-gather
//
//   AG_d,G2(AG_d,G1(x)) = AG_d,G(x),           aligned(G2 over G1), the last applied major
//   AG_e,G2(AG_d,G1(x)) = AG_d,G1(AG_e,G2(x)), e another dim, aligned both ways
//
// exact. Members of one G1 group hold the same after the first gather, so the second gathers the
// same from whichever of them.
#include "hlo/group_algebra.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kInner{"inner"}, kOuter{"outer"};

std::optional<hlo::DeviceGroups> joined_groups(const HloGraph& h, const Match& m) {
  return hlo::nested_gather(*h.collective(m.node(kInner)).groups,
                            *h.collective(m.node(kOuter)).groups);
}

void add_merge(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("merge", all_gather(kOuter, all_gather(kInner, kX)))
               .where([&h](const Match& m) -> Verdict {
                 if (dim_of(h, m.node(kInner)) != dim_of(h, m.node(kOuter))) {
                   return refuse("the gathers are along two dims");
                 }
                 if (const char* reason = what_keeps_apart(h, m.node(kInner), m.node(kOuter))) {
                   return refuse(reason);
                 }
                 if (joined_groups(h, m)) return accept();
                 return refuse("the groups are not aligned");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 auto joined = h.collectives().with_groups(h.op(m.node(kOuter)).collective,
                                                           *joined_groups(h, m));
                 if (!joined) return refuse(kUnsayable);
                 return h.all_gather(m[kX], dim_of(h, m.node(kOuter)), *joined,
                                     {m.node(kInner), m.node(kOuter)});
               }));
}

void add_exchange(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("exchange", all_gather(kOuter, all_gather(kInner, kX)))
               .where([&h](const Match& m) -> Verdict {
                 if (dim_of(h, m.node(kInner)) == dim_of(h, m.node(kOuter))) {
                   return refuse("the gathers are along one dim");
                 }
                 if (hlo::is_grid(*h.collective(m.node(kInner)).groups,
                                  *h.collective(m.node(kOuter)).groups)) {
                   return accept();
                 }
                 return refuse("the groups are not rows and columns");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId inner = m.node(kInner), outer = m.node(kOuter);
                 ClassId first =
                     h.all_gather(m[kX], dim_of(h, outer), h.op(outer).collective, {outer});
                 return h.all_gather(first, dim_of(h, inner), h.op(inner).collective, {inner});
               }));
}

void add(RuleBook& book) {
  add_merge(book);
  add_exchange(book);
}

}  // namespace

Family gather_gather() {
  return {{.name = "gather-gather",
           .family = "collective algebra",
           .equation = "AG_d(AG_d(x)) = AG_d(x), AG_e(AG_d(x)) = AG_d(AG_e(x))",
           .condition = "one dim: the groups are aligned, the last applied is major; two dims: "
                        "they are rows and columns of a grid"},
          add};
}

}  // namespace flipsat::rules
