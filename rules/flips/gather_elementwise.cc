// gather-elementwise
//
//   f(AG_d(x1), .., AG_d(xk)) = AG_d(f(x1, .., xk))      exact
//
// f looks at one position at a time, and gathers alike put equal positions together. An operand
// that is not gathered can join if it is the same on all members of a group: as the block that a
// member would hold, or, where it is a broadcast along other dims, as a smaller broadcast. A scalar
// predicate or bound stays as it is. Channel numbers do not matter; gathers that frontend
// attributes keep apart are not made one.
//
// Going back, a gather of f is taken apart only where an operand gives a reason: it is gathered
// elsewhere, or is a convert that may pass. Otherwise whole optimizers would be pulled through.
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kMap{"map"};
constexpr int kMaxOperands = 3;
constexpr ClassVar kOperands[kMaxOperands] = {{"x0"}, {"x1"}, {"x2"}};
constexpr OpVar kGathers[kMaxOperands] = {{"gather0"}, {"gather1"}, {"gather2"}};

bool is_gathered(unsigned mask, int i) { return mask >> i & 1; }

int first_gathered(unsigned mask) { return __builtin_ctz(mask); }

// Gathered alike, but with attributes that keep it from being combined with the other gather.
bool is_steered_apart(const HloGraph& h, ClassId operand, NodeId gather) {
  for (NodeId node : h.graph().nodes(operand)) {
    const Operator& op = h.op(node);
    if (op.kind == Kind::kAllGather && op.ints == h.op(gather).ints &&
        *h.collective(node).groups == *h.collective(gather).groups &&
        h.collective(node).steering != h.collective(gather).steering) {
      return true;
    }
  }
  return false;
}

Verdict operands_agree(const HloGraph& h, const Match& m, unsigned mask, int arity) {
  NodeId first = m.node(kGathers[first_gathered(mask)]);
  const Operator& gather = h.op(first);
  if (h.collective(first).group_size() == 1) return refuse("a group of one gathers nothing");
  for (int i = 0; i < arity; ++i) {
    ClassId operand = m[kOperands[i]];
    if (is_gathered(mask, i)) {
      const Operator& other = h.op(m.node(kGathers[i]));
      if (other.collective != gather.collective) {
        return refuse("the operands are gathered in other groups");
      }
      if (other.ints != gather.ints) return refuse("the operands are gathered along other dims");
      if (h.dims(operand) != h.dims(m[kOperands[first_gathered(mask)]])) {
        return refuse("the operands' shards have other shapes");
      }
      continue;
    }
    if (!h.uniform(operand, *h.collective(first).groups)) {
      return refuse("an operand is neither gathered nor the same on all members");
    }
    if (is_steered_apart(h, operand, first)) return refuse("the operands' gathers are kept apart");
  }
  return accept();
}

// What a member needs of a uniform operand: the block that it would hold. `sources` are what the
// gather of all will stand for.
std::optional<ClassId> local_part(HloGraph& h, ClassId operand, int dim, const hlo::Dims& local,
                                  const hlo::DeviceGroups& groups, std::vector<NodeId>& sources) {
  if (h.shape(operand).rank() == 0) return operand;
  std::vector<NodeId> nodes(h.graph().nodes(operand).begin(), h.graph().nodes(operand).end());
  for (NodeId node : nodes) {
    const Operator& op = h.op(node);
    if (op.kind == Kind::kAllGather && op.ints[0] == dim && *h.collective(node).groups == groups) {
      sources.push_back(node);  // gathered alike: the block is what the member put in
      return h.graph().children(node)[0];
    }
    if (op.kind != Kind::kBroadcast) continue;
    if (std::find(op.ints.begin(), op.ints.end(), dim) != op.ints.end()) continue;
    return h.broadcast(node, h.graph().children(node)[0], local);
  }
  return h.own_shard(operand, dim, groups);
}

void add_forward(RuleBook& book, int arity, unsigned mask) {
  HloGraph& h = book.hlo();
  std::vector<Pattern> children;
  std::string name = "forward/";
  for (int i = 0; i < arity; ++i) {
    name += is_gathered(mask, i) ? 'g' : 'u';
    if (is_gathered(mask, i)) {
      children.push_back(all_gather(kGathers[i], kOperands[i]));
    } else {
      children.push_back(kOperands[i]);
    }
  }
  book.add(
      book.rule(name,
                egraph::node(language::kind_number(Kind::kElementwise), kMap, std::move(children)))
          .where([&h, mask, arity](const Match& m) { return operands_agree(h, m, mask, arity); })
          .then([&h, mask, arity](EGraph&, const Match& m) -> Outcome {
            int first = first_gathered(mask);
            NodeId gather = m.node(kGathers[first]);
            int dim = dim_of(h, gather);
            hlo::Dims local = h.dims(m[kOperands[first]]);
            std::vector<ClassId> operands;
            std::vector<NodeId> sources;
            for (int i = 0; i < arity; ++i) {
              if (is_gathered(mask, i)) {
                operands.push_back(m[kOperands[i]]);
                sources.push_back(m.node(kGathers[i]));
                continue;
              }
              std::optional<ClassId> part =
                  local_part(h, m[kOperands[i]], dim, local, *h.collective(gather).groups, sources);
              if (!part) return refuse("a member's own block cannot be written");
              operands.push_back(*part);
            }
            ClassId mapped = h.elementwise(m.node(kMap), operands, local);
            return h.all_gather(mapped, dim, h.op(gather).collective, sources);
          }));
}

// Is this operand gathered alike somewhere, or a convert, so that a gather of it alone may pay?
bool has_partner(const HloGraph& h, ClassId operand, const Operator& gather) {
  if (h.graph().kinds(operand) & EGraph::kind_bit(language::kind_number(Kind::kConvert)))
    return true;
  for (NodeId parent : h.graph().parents(operand)) {
    const Operator& op = h.op(parent);
    if (op.kind == Kind::kAllGather && op.collective == gather.collective &&
        op.ints == gather.ints) {
      return true;
    }
  }
  return false;
}

void add_backward(RuleBook& book, int arity) {
  HloGraph& h = book.hlo();
  std::vector<Pattern> children(kOperands, kOperands + arity);
  Pattern map = egraph::node(language::kind_number(Kind::kElementwise), kMap, std::move(children));
  book.add(book.rule("backward/" + std::to_string(arity), all_gather(kGather, std::move(map)))
               .where([&h, arity](const Match& m) -> Verdict {
                 const Operator& gather = h.op(m.node(kGather));
                 if (h.collective(m.node(kGather)).group_size() == 1) {
                   return refuse("a group of one gathers nothing");
                 }
                 const hlo::Dims& local = h.op(m.node(kMap)).shape.dims;
                 bool pays = false;
                 for (int i = 0; i < arity; ++i) {
                   ClassId operand = m[kOperands[i]];
                   if (h.dims(operand) == local) {
                     pays |= has_partner(h, operand, gather);
                   } else if (!h.uniform(operand, *h.collective(m.node(kGather)).groups)) {
                     return refuse("a scalar operand differs inside a group");
                   }
                 }
                 return pays ? accept() : refuse("no operand gains by being gathered alone");
               })
               .then([&h, arity](EGraph&, const Match& m) -> Outcome {
                 NodeId gather = m.node(kGather);
                 hlo::Dims local = h.op(m.node(kMap)).shape.dims;
                 std::vector<ClassId> operands;
                 for (int i = 0; i < arity; ++i) {
                   ClassId operand = m[kOperands[i]];
                   operands.push_back(h.dims(operand) == local
                                          ? h.all_gather(operand, dim_of(h, gather),
                                                         h.op(gather).collective, {gather})
                                          : operand);
                 }
                 return h.elementwise(m.node(kMap), operands, h.op(gather).shape.dims);
               })
               .looks_elsewhere());
}

void add(RuleBook& book) {
  for (int arity = 1; arity <= kMaxOperands; ++arity) {
    for (unsigned mask = 1; mask < 1u << arity; ++mask) add_forward(book, arity, mask);
    add_backward(book, arity);
  }
}

}  // namespace

Family gather_elementwise() {
  return {{.name = "gather-elementwise",
           .family = "flips",
           .equation = "f(AG(x1), .., AG(xk)) = AG(f(x1, .., xk)), f elementwise",
           .condition = "same groups, dim and shard shapes; an operand that is not gathered is the "
                        "same on all members of a group"},
          add};
}

}  // namespace flipsat::rules
