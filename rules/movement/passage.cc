// f(C_d(x), u) = C_o(f(x, u)) for one f of one array (movement.h).
//
// Going in (forward), f works on what a member sends. Where f can be undone, the collective's own
// class also gets f undone on the new one: who else reads the old collective needs no second one.
//
// Going out, f works on the collective's result. That is no loss where f adds elements or keeps
// their number; where it drops some, the collective grows, and only one that is there anyhow (or
// that another part needs as well) makes up for it.
#include "hlo/data_movement.h"
#include "hlo/open_order.h"
#include "rules/movement/movement.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kCollective{"collective"};
constexpr ClassVar kAside{"aside"};

Pattern movement(Kind f, Pattern operand, int rank) {
  switch (f) {
    case Kind::kDynamicSlice:
      return dynamic_slice(kMoved, std::move(operand), rank);
    case Kind::kPad:
    case Kind::kReduce:
      return egraph::node(language::kind_number(f), kMoved, {std::move(operand), kAside});
    default:
      return unary(f, kMoved, std::move(operand));
  }
}

const char* own_dim_reason(Kind collective, Kind f) {
  const bool is_cut = f == Kind::kSlice || f == Kind::kDynamicSlice;
  if (collective == Kind::kAllGather) {
    return is_cut ? "the gathered dim is cut" : "the gathered dim is not left whole";
  }
  return is_cut ? "the scattered dim is cut" : "the scattered dim is not left whole";
}

// An all-reduce has no dim: any f will do.
int own_dim(const HloGraph& h, NodeId collective) {
  return h.op(collective).kind == Kind::kAllReduce ? 0 : dim_of(h, collective);
}

std::optional<int> dim_through(const HloGraph& h, NodeId f, NodeId collective, bool inward) {
  if (h.op(collective).kind == Kind::kAllReduce) return 0;
  const int dim = own_dim(h, collective);
  return inward ? dim_after(h, f, dim) : dim_before(h, f, dim);
}

// A reduce of a reduction must be of the same kind; its sums are then regrouped.
Verdict reducers_agree(const HloGraph& h, NodeId f, NodeId collective, hlo::Numerics allowed) {
  if (h.op(f).kind != Kind::kReduce || h.op(collective).kind == Kind::kAllGather) return accept();
  const hlo::Reducer& reducer = *h.collective(collective).reducer;
  if (h.op(f).reducer != reducer) return refuse("the reduce is not by the same operation");
  if (!hlo::has_open_order(reducer)) return accept();
  if (!may_regroup(reducer, allowed)) {
    return refuse("a float sum is made in another order (--numerics reassoc)");
  }
  // One reason to differ at a time: what an edge leads to is a narrower sum made wider, whose
  // regrouping nobody could follow.
  const ClassId sum = h.graph().find(collective);
  for (const egraph::Edge& edge : h.graph().all_edges().all()) {
    if (h.graph().find(edge.to) == sum) return refuse("a sum made wider is not regrouped as well");
  }
  return accept();
}

std::optional<ClassId> undone(HloGraph& h, NodeId f, ClassId result) {
  const Operator& op = h.op(f);
  if (op.kind == Kind::kReverse) return h.reverse(f, result, op.ints);
  if (op.kind != Kind::kTranspose) return std::nullopt;
  return h.transpose(f, result, hlo::inverse_permutation(op.ints));
}

// Is the operand of f, or another part of it that f's like makes, collected as f's result is?
bool has_partner(const HloGraph& h, NodeId f, NodeId collective, int dim) {
  const ClassId x = h.graph().children(f)[0];
  const Operator& op = h.op(collective);
  if (is_collected_alike(h, x, op, dim)) return true;
  if (h.op(f).kind != Kind::kSlice) return false;
  for (NodeId other : h.graph().parents(x)) {
    if (other == f || h.op(other).kind != Kind::kSlice) continue;
    if (is_collected_alike(h, h.graph().find(other), op, own_dim(h, collective))) return true;
  }
  return false;
}

void add_forward(RuleBook& book, Kind collective, Kind f, int rank, const std::string& suffix) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  egraph::Rule rule =
      book.rule("forward" + suffix, movement(f, unary(collective, kCollective, kX), rank))
          .where([&h, collective, f, allowed](const Match& m) -> Verdict {
            const NodeId moved = m.node(kMoved), by = m.node(kCollective);
            if (!dim_through(h, moved, by, true)) return refuse(own_dim_reason(collective, f));
            if (Verdict verdict = reducers_agree(h, moved, by, allowed); !verdict) return verdict;
            return asides_agree(h, moved, by);
          })
          .then([&h](EGraph& graph, const Match& m) -> Outcome {
            const NodeId moved = m.node(kMoved), by = m.node(kCollective);
            const int dim = *dim_through(h, moved, by, true);
            const ClassId operands[] = {m[kX]};
            const ClassId inside = move_alike(h, moved, operands);
            const ClassId collected = collect_alike(h, by, inside, dim, {by});
            if (auto back = undone(h, moved, collected)) graph.merge(m[kCollective], *back);
            return collected;
          });
  // A constant that is reduced to itself is looked for in its class.
  if (f == Kind::kPad || f == Kind::kReduce) rule.looks_elsewhere();
  book.add(std::move(rule));
}

void add_backward(RuleBook& book, Kind collective, Kind f, Outward outward, int rank,
                  const std::string& suffix) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  egraph::Rule rule =
      book.rule("backward" + suffix, unary(collective, kCollective, movement(f, kX, rank)))
          .where([&h, collective, f, outward, allowed](const Match& m) -> Verdict {
            const NodeId moved = m.node(kMoved), by = m.node(kCollective);
            const std::optional<int> dim = dim_through(h, moved, by, false);
            if (!dim) return refuse(own_dim_reason(collective, f));
            if (Verdict verdict = reducers_agree(h, moved, by, allowed); !verdict) return verdict;
            if (Verdict verdict = asides_agree(h, moved, by); !verdict) return verdict;
            if (outward == Outward::kWithPartner && !has_partner(h, moved, by, *dim)) {
              return refuse("the whole is not collected alike");
            }
            return accept();
          })
          .then([&h](EGraph&, const Match& m) -> Outcome {
            const NodeId moved = m.node(kMoved), by = m.node(kCollective);
            const int dim = *dim_through(h, moved, by, false);
            const ClassId operands[] = {collect_alike(h, by, m[kX], dim, {by})};
            return move_alike(h, moved, operands);
          });
  if (outward == Outward::kWithPartner || f == Kind::kPad || f == Kind::kReduce) {
    rule.looks_elsewhere();
  }
  book.add(std::move(rule));
}

}  // namespace

void add_passage(RuleBook& book, Kind collective, Kind f, Outward outward) {
  const std::string name = suffix_of(collective);
  if (f != Kind::kDynamicSlice) {
    add_forward(book, collective, f, 0, name);
    add_backward(book, collective, f, outward, 0, name);
    return;
  }
  for (int rank = 1; rank <= kMaxRank; ++rank) {
    const std::string suffix = name + "/rank" + std::to_string(rank);
    add_forward(book, collective, f, rank, suffix);
    add_backward(book, collective, f, outward, rank, suffix);
  }
}

}  // namespace flipsat::rules
