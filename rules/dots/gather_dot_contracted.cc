// gather-dot-contracted
//
//   dot(AG_k(a), AG_l(b)) = AR(dot(a, b))              k and l contracted together, gathered alike
//   dot(AG_k(a), u) = AR(dot(a, own shard of u))       u the same on all members
//
// exact for integers, reassoc for floats: what is contracted over all members is the sum of what
// each contracts of its own. The same with the operands exchanged. Going back, where both operands
// are gathered elsewhere.
#include "rules/dots/dots.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kOtherGather{"other gather"};

Verdict may_sum(const HloGraph& h, const Match& m, bool is_left, hlo::Numerics allowed) {
  NodeId gather = m.node(kGather);
  if (h.collective(gather).group_size() == 1) return refuse("a group of one gathers nothing");
  const DotPlace place = view_of_dot(h, m.node(kDot), is_left).place(dim_of(h, gather));
  if (place.role != DotRole::kContracted) return refuse("the gathered dim is not contracted");
  if (!may_regroup(h.op(m.node(kDot)).shape.type, allowed)) return refuse(kRegroups);
  if (h.collective(gather).steering.empty()) return accept();
  return refuse("attributes steer the gather");
}

Outcome summed(HloGraph& h, NodeId gather, ClassId local, std::vector<NodeId> sources) {
  auto collective = sum_in_place_of_gather(h, gather, h.type(local));
  if (!collective) return refuse("no mode can say the groups");
  return h.all_reduce(local, *collective, std::move(sources));
}

void add_both_gathered(RuleBook& book) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule("forward/both",
                     dot_of(true, all_gather(kGather, kX), all_gather(kOtherGather, kOther)))
               .where([&h, allowed](const Match& m) -> Verdict {
                 if (Verdict verdict = may_sum(h, m, true, allowed); !verdict) return verdict;
                 NodeId left = m.node(kGather), right = m.node(kOtherGather);
                 const DotPlace place = view_of_dot(h, m.node(kDot), true).place(dim_of(h, left));
                 const bool alike = place.partner == dim_of(h, right) &&
                                    h.op(left).collective == h.op(right).collective;
                 return alike ? accept() : refuse("the contracted dims are not gathered alike");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 NodeId left = m.node(kGather), right = m.node(kOtherGather);
                 ClassId local = dot_like(h, m.node(kDot), true, m[kX], m[kOther]);
                 return summed(h, left, local, {left, right});
               }));
}

void add_beside_uniform(RuleBook& book, bool is_left) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  book.add(
      book.rule("forward/" + side_name(is_left), dot_of(is_left, all_gather(kGather, kX), kOther))
          .where([&h, is_left, allowed](const Match& m) -> Verdict {
            if (Verdict verdict = may_sum(h, m, is_left, allowed); !verdict) return verdict;
            if (h.uniform(m[kOther], *h.collective(m.node(kGather)).groups)) return accept();
            return refuse("the other operand differs inside a group");
          })
          .then([&h, is_left](EGraph&, const Match& m) -> Outcome {
            NodeId gather = m.node(kGather), dot = m.node(kDot);
            const DotPlace place = view_of_dot(h, dot, is_left).place(dim_of(h, gather));
            auto own = h.own_shard(m[kOther], place.partner, *h.collective(gather).groups);
            if (!own) return refuse("a member's own block cannot be written");
            return summed(h, gather, dot_like(h, dot, is_left, m[kX], *own), {gather});
          }));
}

// A gather of the operand along dim over the groups of the sum, in any order of members.
NodeId gather_over(const HloGraph& h, ClassId operand, int dim, NodeId sum) {
  for (NodeId parent : h.graph().parents(operand)) {
    const Operator& op = h.op(parent);
    if (op.kind == Kind::kAllGather && op.ints[0] == dim &&
        h.collective(parent).groups->without_order() == *h.collective(sum).groups) {
      return parent;
    }
  }
  return egraph::kNoId;
}

// Gathers of both operands along dims that are contracted together, over the same lists.
std::optional<std::pair<NodeId, NodeId>> gathers_of_both(const HloGraph& h, const Match& m) {
  NodeId sum = m.node(kReduction);
  const language::DotDims dims = language::dot_dims(h.op(m.node(kDot)));
  for (size_t i = 0; i < dims.lhs_contracting.size(); ++i) {
    NodeId left = gather_over(h, m[kX], static_cast<int>(dims.lhs_contracting[i]), sum);
    NodeId right = gather_over(h, m[kOther], static_cast<int>(dims.rhs_contracting[i]), sum);
    if (left == egraph::kNoId || right == egraph::kNoId) continue;
    if (*h.collective(left).groups == *h.collective(right).groups) return std::pair(left, right);
  }
  return std::nullopt;
}

void add_backward(RuleBook& book) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule("backward", all_reduce(kReduction, dot_of(true, kX, kOther)))
               .where([&h, allowed](const Match& m) -> Verdict {
                 const hlo::Reducer& reducer = *h.collective(m.node(kReduction)).reducer;
                 if (reducer.kind != hlo::ReducerKind::kAdd) return refuse("no sum");
                 if (!may_regroup(reducer.type, allowed)) return refuse(kRegroups);
                 if (gathers_of_both(h, m)) return accept();
                 return refuse("the operands are not both gathered elsewhere");
               })
               .then([&h](EGraph& graph, const Match& m) -> Outcome {
                 const auto [left, right] = *gathers_of_both(h, m);
                 return dot_like(h, m.node(kDot), true, graph.find(left), graph.find(right));
               })
               .looks_elsewhere());
}

void add(RuleBook& book) {
  add_both_gathered(book);
  for (bool is_left : {true, false}) add_beside_uniform(book, is_left);
  add_backward(book);
}

}  // namespace

Family gather_dot_contracted() {
  return {{.name = "gather-dot-contracted",
           .family = kDotFamily,
           .equation = "dot(AG_k(a), AG_l(b)) = AR(dot(a, b))",
           .condition = "k and l contracted together and gathered alike; or b the same on all "
                        "members and cut to the own shard; sums of floats: reassoc",
           .order_open = true},
          add};
}

}  // namespace flipsat::rules
