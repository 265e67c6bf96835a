// f(C_d(x1), .., C_d(xk)) = C_o(f(x1, .., xk)) for a concatenate, dynamic-update-slice or select of
// several arrays (movement.h).
//
// An array that is not collected can join if it is the same on all members. A gather then takes the
// block that a member would hold; a reduction must leave the array as it was, so it is a broadcast
// of a scalar that is reduced to itself, longer where a scatter will cut it.
//
// Going out, one collective becomes several. That pays where one of them is there anyhow, or where
// an array need not be collected at all.
#include "rules/movement/movement.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kCollective{"collective"};

// The arrays among the operands of f; the others are indices and predicates.
std::vector<ClassId> arrays_of(const HloGraph& h, NodeId f) {
  auto children = h.graph().children(f);
  switch (h.op(f).kind) {
    case Kind::kConcatenate:
      return {children.begin(), children.end()};
    case Kind::kDynamicUpdateSlice:
      return {children[0], children[1]};
    default:  // a select
      return {children[1], children[2]};
  }
}

bool is_reduction(const HloGraph& h, NodeId collective) {
  return h.op(collective).kind != Kind::kAllGather;
}

bool has_dim(const HloGraph& h, NodeId collective) {
  return h.op(collective).kind != Kind::kAllReduce;
}

int own_dim(const HloGraph& h, NodeId collective) {
  return has_dim(h, collective) ? dim_of(h, collective) : 0;
}

std::optional<NodeId> collected_alike(const HloGraph& h, ClassId array, NodeId collective) {
  const Operator& wanted = h.op(collective);
  for (NodeId node : h.graph().nodes(array)) {
    const Operator& op = h.op(node);
    if (op.kind == wanted.kind && op.collective == wanted.collective && op.ints == wanted.ints) {
      return node;
    }
  }
  return std::nullopt;
}

// A broadcast of a scalar that is the same whether the members' are collected or not.
std::optional<NodeId> uncollected_splat(const HloGraph& h, ClassId array, NodeId collective) {
  std::optional<NodeId> splat = splat_of(h, array);
  if (!splat) return std::nullopt;
  const ClassId scalar = h.graph().children(*splat)[0];
  const language::Collective& by = h.collective(collective);
  const bool is_kept =
      by.reducer ? is_kept_by_reduction(h, scalar, by) : h.uniform(scalar, *by.groups);
  return is_kept ? splat : std::nullopt;
}

// Can an array that is not collected stand on the other side of the collective?
bool can_join(const HloGraph& h, ClassId array, NodeId collective) {
  if (uncollected_splat(h, array, collective)) return true;
  if (!is_reduction(h, collective)) return h.uniform(array, *h.collective(collective).groups);
  return !has_dim(h, collective) && hlo::is_idempotent(h.collective(collective).reducer->kind) &&
         h.uniform(array, *h.collective(collective).groups);
}

Verdict predicate_agrees(const HloGraph& h, NodeId f, NodeId collective) {
  if (h.op(f).kind != Kind::kElementwise) return accept();
  const ClassId predicate = h.graph().children(f)[0];
  if (!h.uniform(predicate, *h.collective(collective).groups)) {
    return refuse("the predicate differs inside a group");
  }
  if (has_dim(h, collective) && h.shape(predicate).rank() > 0 && !splat_of(h, predicate)) {
    return refuse("the predicate differs along the array");
  }
  return accept();
}

// The predicate of a select of arrays with these dims.
ClassId predicate_for(HloGraph& h, ClassId predicate, const hlo::Dims& dims) {
  if (h.shape(predicate).rank() == 0 || h.dims(predicate) == dims) return predicate;
  const NodeId splat = *splat_of(h, predicate);
  return h.broadcast(splat, h.graph().children(splat)[0], dims);
}

ClassId rebuilt(HloGraph& h, NodeId f, const std::vector<ClassId>& arrays) {
  if (h.op(f).kind != Kind::kElementwise) return move_alike(h, f, arrays);
  const hlo::Dims dims = h.dims(arrays[0]);
  const ClassId predicate = predicate_for(h, h.graph().children(f)[0], dims);
  const ClassId all[] = {predicate, arrays[0], arrays[1]};
  return h.elementwise(f, all, dims);
}

std::optional<int> dim_through(const HloGraph& h, NodeId f, NodeId collective) {
  if (!has_dim(h, collective)) return 0;
  // These operations leave a dim in its place.
  return dim_after(h, f, own_dim(h, collective));
}

// The collectives of some kinds among the arrays, each that differs from the others once.
std::vector<NodeId> collectives_below(const HloGraph& h, NodeId f, const std::vector<Kind>& kinds) {
  uint32_t bits = 0;
  for (Kind kind : kinds) bits |= EGraph::kind_bit(language::kind_number(kind));
  std::vector<NodeId> found;
  for (ClassId array : arrays_of(h, f)) {
    if (!(h.graph().kinds(array) & bits)) continue;
    for (NodeId node : h.graph().nodes(array)) {
      const Operator& op = h.op(node);
      if (std::ranges::find(kinds, op.kind) == kinds.end()) continue;
      const bool is_known = std::ranges::any_of(found, [&](NodeId other) {
        return h.op(other).kind == op.kind && h.op(other).collective == op.collective &&
               h.op(other).ints == op.ints;
      });
      if (!is_known) found.push_back(node);
    }
  }
  return found;
}

Verdict may_go_in(const HloGraph& h, NodeId f, NodeId collective) {
  if (!dim_through(h, f, collective)) return refuse("the collective's own dim is not left whole");
  for (ClassId array : arrays_of(h, f)) {
    if (!collected_alike(h, array, collective) && !can_join(h, array, collective)) {
      return refuse("an operand is neither collected alike nor the same before and after");
    }
  }
  if (Verdict verdict = asides_agree(h, f, collective); !verdict) return verdict;
  return predicate_agrees(h, f, collective);
}

// The dims of what a member holds of an array, or of what it holds the shard of.
hlo::Dims resized(const HloGraph& h, NodeId collective, hlo::Dims dims, bool inward) {
  if (!has_dim(h, collective)) return dims;
  const int64_t n = h.collective(collective).group_size();
  const bool grows = is_reduction(h, collective) == inward;
  int64_t& size = dims[own_dim(h, collective)];
  size = grows ? size * n : size / n;
  return dims;
}

std::optional<ClassId> inside(HloGraph& h, ClassId array, NodeId collective,
                              std::vector<NodeId>& sources) {
  if (std::optional<NodeId> alike = collected_alike(h, array, collective)) {
    sources.push_back(*alike);
    return h.graph().children(*alike)[0];
  }
  const hlo::Dims dims = resized(h, collective, h.dims(array), true);
  if (std::optional<NodeId> splat = uncollected_splat(h, array, collective)) {
    return h.broadcast(*splat, h.graph().children(*splat)[0], dims);
  }
  if (is_reduction(h, collective)) return array;
  return h.own_shard(array, own_dim(h, collective), *h.collective(collective).groups);
}

// A concatenate or dynamic-update-slice of any number of operands; of elementwise operations, one
// of three.
Pattern movement(Kind f) {
  if (f != Kind::kElementwise) return egraph::any_node(language::kind_number(f), kMoved);
  return egraph::node(language::kind_number(f), kMoved,
                      {ClassVar{"predicate"}, ClassVar{"on_true"}, ClassVar{"on_false"}});
}

bool is_clamp(const HloGraph& h, NodeId f) { return h.op(f).opcode == hlo::Opcode::kClamp; }

void add_forward(RuleBook& book, const std::vector<Kind>& collectives, Kind f) {
  HloGraph& h = book.hlo();
  book.add(book.rule("forward", movement(f))
               .where([&h, collectives](const Match& m) -> Verdict {
                 const NodeId moved = m.node(kMoved);
                 if (is_clamp(h, moved)) return refuse("a clamp is no movement");
                 Verdict last = refuse("no operand is collected");
                 for (NodeId by : collectives_below(h, moved, collectives)) {
                   last = may_go_in(h, moved, by);
                   if (last) break;
                 }
                 return last;
               })
               .then([&h, collectives](EGraph& graph, const Match& m) -> Outcome {
                 const NodeId moved = m.node(kMoved);
                 Outcome outcome = refuse("a member's own block cannot be written");
                 for (NodeId by : collectives_below(h, moved, collectives)) {
                   if (!may_go_in(h, moved, by)) continue;
                   std::vector<ClassId> arrays;
                   std::vector<NodeId> sources;
                   for (ClassId array : arrays_of(h, moved)) {
                     std::optional<ClassId> part = inside(h, array, by, sources);
                     if (part) arrays.push_back(*part);
                   }
                   if (arrays.size() != arrays_of(h, moved).size()) continue;
                   const ClassId made = rebuilt(h, moved, arrays);
                   const ClassId all =
                       collect_alike(h, by, made, own_dim(h, by), std::move(sources));
                   graph.merge(m.root(), all);
                   outcome = m.root();
                 }
                 return outcome;
               })
               .looks_elsewhere());
}

// Is one of the collectives that would be made there already, or one of the arrays free of them?
bool pays_outside(const HloGraph& h, NodeId f, NodeId collective) {
  for (ClassId array : arrays_of(h, f)) {
    if (is_collected_alike(h, array, h.op(collective), own_dim(h, collective))) return true;
    if (h.op(f).kind != Kind::kElementwise && uncollected_splat(h, array, collective)) return true;
  }
  return false;
}

void add_backward(RuleBook& book, Kind collective, Kind f) {
  HloGraph& h = book.hlo();
  book.add(
      book.rule("backward" + suffix_of(collective), unary(collective, kCollective, movement(f)))
          .where([&h](const Match& m) -> Verdict {
            const NodeId moved = m.node(kMoved), by = m.node(kCollective);
            if (is_clamp(h, moved)) return refuse("a clamp is no movement");
            if (!dim_through(h, moved, by)) {
              return refuse("the collective's own dim is not left whole");
            }
            if (Verdict verdict = asides_agree(h, moved, by); !verdict) return verdict;
            if (Verdict verdict = predicate_agrees(h, moved, by); !verdict) return verdict;
            if (pays_outside(h, moved, by)) return accept();
            return refuse("no operand gains by being collected alone");
          })
          .then([&h](EGraph&, const Match& m) -> Outcome {
            const NodeId moved = m.node(kMoved), by = m.node(kCollective);
            std::vector<ClassId> arrays;
            for (ClassId array : arrays_of(h, moved)) {
              const std::optional<NodeId> splat = uncollected_splat(h, array, by);
              if (splat) {
                arrays.push_back(h.broadcast(*splat, h.graph().children(*splat)[0],
                                             resized(h, by, h.dims(array), false)));
              } else {
                arrays.push_back(collect_alike(h, by, array, own_dim(h, by), {by}));
              }
            }
            return rebuilt(h, moved, arrays);
          })
          .looks_elsewhere());
}

}  // namespace

void add_joint_passage(RuleBook& book, const std::vector<Kind>& collectives, Kind f) {
  add_forward(book, collectives, f);
  for (Kind collective : collectives) add_backward(book, collective, f);
}

}  // namespace flipsat::rules
