// All-to-alls among themselves:
//
//   all-to-all-inverse:     A2A_d(A2A_d(x)) = x    over the same groups in the same order
//   all-to-all-of-uniform:  A2A_d(x) = n copies of the own part of x    x the same on all members
//
// exact. An all-to-all exchanges what members hold and where they hold it; done twice it is
// nothing.
#include "rules/exchanges/exchange.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kOuter{"outer"}, kInner{"inner"};

Pattern all_to_all(OpVar name, Pattern operand) {
  return unary(Kind::kAllToAll, name, std::move(operand));
}

void add_inverse(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("cancel", all_to_all(kOuter, all_to_all(kInner, kX)))
               .where([&h](const Match& m) -> Verdict {
                 NodeId outer = m.node(kOuter), inner = m.node(kInner);
                 if (dim_of(h, outer) != dim_of(h, inner)) return refuse("along different dims");
                 if (*h.collective(outer).groups == *h.collective(inner).groups) return accept();
                 return refuse("the groups or the order of their members differ");
               })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add_of_uniform(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("copies", all_to_all(kOuter, kX))
               .where([&h](const Match& m) -> Verdict {
                 const hlo::DeviceGroups& groups = *h.collective(m.node(kOuter)).groups;
                 if (groups.group_size() == 1) return refuse("a group of one exchanges nothing");
                 if (h.uniform(m[kX], groups)) return accept();
                 return refuse("the value differs inside a group");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 NodeId exchange = m.node(kOuter);
                 const int dim = dim_of(h, exchange);
                 const hlo::DeviceGroupsRef groups = h.collective(exchange).groups;
                 const hlo::Dims whole = h.dims(m[kX]);
                 std::optional<ClassId> own = h.own_shard(m[kX], dim, *groups);
                 if (!own) return refuse("a member's own part cannot be written");
                 // The copies stand side by side along a new dim, which then joins the old one.
                 hlo::Dims copies = h.dims(*own);
                 std::vector<int64_t> along;
                 for (int i = 0; i < static_cast<int>(copies.size()); ++i) {
                   along.push_back(i < dim ? i : i + 1);
                 }
                 copies.insert(copies.begin() + dim, groups->group_size());
                 ClassId all = h.broadcast(egraph::kNoId, *own, along, copies);
                 return h.reshape(egraph::kNoId, all, whole);
               }));
}

}  // namespace

Family all_to_all_inverse() {
  return {exchange_law("all-to-all-inverse", "all-to-all(all-to-all(x)) = x",
                       "the same dim, the same groups in the same order"),
          add_inverse};
}

Family all_to_all_of_uniform() {
  return {exchange_law("all-to-all-of-uniform", "all-to-all(x) = copies of the own part of x",
                       "x is the same on all members of a group"),
          add_of_uniform};
}

}  // namespace flipsat::rules
