// gather-dot
//
//   dot(AG_d(a), u) = AG(dot(a, u))               d free, u the same on all members
//   dot(AG_d(a), AG_e(b)) = AG(dot(a, b))         d and e one batch dim, gathered alike
//   dot(AG_d(a), u) = AG(dot(a, own shard of u))  d a batch dim, u the same on all members
//
// exact, order-open: each element of the result is the same sum of products; a compiler may add up
// a dot of another shape in another order. The same with the operands exchanged. Going back,
// operands are gathered before the dot where they are so gathered elsewhere.
#include "rules/dots/dots.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kOtherGather{"other gather"};

Verdict may_gather_result(const HloGraph& h, const Match& m, bool is_left) {
  NodeId gather = m.node(kGather);
  if (h.collective(gather).group_size() == 1) return refuse("a group of one gathers nothing");
  const DotPlace place = view_of_dot(h, m.node(kDot), is_left).place(dim_of(h, gather));
  if (place.role == DotRole::kContracted) return refuse("the gathered dim is contracted");
  if (h.uniform(m[kOther], *h.collective(gather).groups)) return accept();
  return refuse("the other operand differs inside a group");
}

void add_forward(RuleBook& book, bool is_left) {
  HloGraph& h = book.hlo();
  book.add(
      book.rule("forward/" + side_name(is_left), dot_of(is_left, all_gather(kGather, kX), kOther))
          .where([&h, is_left](const Match& m) { return may_gather_result(h, m, is_left); })
          .then([&h, is_left](EGraph&, const Match& m) -> Outcome {
            NodeId gather = m.node(kGather), dot = m.node(kDot);
            const DotPlace place = view_of_dot(h, dot, is_left).place(dim_of(h, gather));
            ClassId other = m[kOther];
            if (place.role == DotRole::kBatch) {
              auto own = h.own_shard(other, place.partner, *h.collective(gather).groups);
              if (!own) return refuse("a member's own block cannot be written");
              other = *own;
            }
            ClassId local = dot_like(h, dot, is_left, m[kX], other);
            return h.all_gather(local, place.result, h.op(gather).collective, {gather});
          }));
}

void add_batch(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("forward/batch",
                     dot_of(true, all_gather(kGather, kX), all_gather(kOtherGather, kOther)))
               .where([&h](const Match& m) -> Verdict {
                 NodeId left = m.node(kGather), right = m.node(kOtherGather);
                 const DotPlace place = view_of_dot(h, m.node(kDot), true).place(dim_of(h, left));
                 if (place.role != DotRole::kBatch)
                   return refuse("the gathered dim is no batch dim");
                 if (h.collective(left).group_size() == 1) {
                   return refuse("a group of one gathers nothing");
                 }
                 const bool alike = place.partner == dim_of(h, right) &&
                                    h.op(left).collective == h.op(right).collective;
                 return alike ? accept() : refuse("the batch dims are not gathered alike");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 NodeId left = m.node(kGather), right = m.node(kOtherGather), dot = m.node(kDot);
                 const DotPlace place = view_of_dot(h, dot, true).place(dim_of(h, left));
                 ClassId local = dot_like(h, dot, true, m[kX], m[kOther]);
                 return h.all_gather(local, place.result, h.op(left).collective, {left, right});
               }));
}

bool is_gathered_alike(const HloGraph& h, ClassId operand, int dim, NodeId gather) {
  const auto parents = h.graph().parents(operand);
  return std::any_of(parents.begin(), parents.end(), [&](NodeId parent) {
    const Operator& op = h.op(parent);
    return op.kind == Kind::kAllGather && op.ints[0] == dim &&
           op.collective == h.op(gather).collective;
  });
}

void add_backward(RuleBook& book, bool is_left) {
  HloGraph& h = book.hlo();
  book.add(
      book.rule("backward/" + side_name(is_left), all_gather(kGather, dot_of(is_left, kX, kOther)))
          .where([&h, is_left](const Match& m) -> Verdict {
            NodeId gather = m.node(kGather);
            if (h.collective(gather).group_size() == 1) {
              return refuse("a group of one gathers nothing");
            }
            const DotView view = view_of_dot(h, m.node(kDot), is_left);
            const std::optional<int> dim = view.dim_of_result(dim_of(h, gather));
            if (!dim) return refuse("the gathered dim is the other operand's");
            if (!is_gathered_alike(h, m[kX], *dim, gather)) {
              return refuse("the operand is not gathered elsewhere");
            }
            const DotPlace place = view.place(*dim);
            if (place.role == DotRole::kBatch) {
              if (is_gathered_alike(h, m[kOther], place.partner, gather)) return accept();
              return refuse("the other operand is not gathered elsewhere");
            }
            if (h.uniform(m[kOther], *h.collective(gather).groups)) return accept();
            return refuse("the other operand differs inside a group");
          })
          .then([&h, is_left](EGraph&, const Match& m) -> Outcome {
            NodeId gather = m.node(kGather), dot = m.node(kDot);
            const DotView view = view_of_dot(h, dot, is_left);
            const int dim = *view.dim_of_result(dim_of(h, gather));
            const auto collective = h.op(gather).collective;
            const DotPlace place = view.place(dim);
            ClassId other = m[kOther];
            ClassId whole = h.all_gather(m[kX], dim, collective, {gather});
            if (place.role == DotRole::kBatch) {
              other = h.all_gather(other, place.partner, collective, {gather});
            }
            return dot_like(h, dot, is_left, whole, other);
          })
          .looks_elsewhere());
}

void add(RuleBook& book) {
  for (bool is_left : {true, false}) {
    add_forward(book, is_left);
    add_backward(book, is_left);
  }
  add_batch(book);
}

}  // namespace

Family gather_dot() {
  return {{.name = "gather-dot",
           .family = kDotFamily,
           .equation = "dot(AG_d(a), b) = AG(dot(a, b))",
           .condition = "d free, b the same on all members; or d a batch dim, b gathered alike, or "
                        "the same on all members and cut to the own shard",
           .order_open = true},
          add};
}

}  // namespace flipsat::rules
