// collective-of-uniform: of a value that is the same on all members of a group of n,
//
//   AR_max(x) = x, min, and, or alike
//   AR_add(x) = x * n, integers
//   RS_d(x) = the own shard of that
//   AG_d(x) = n tiles of x along d
//
// all exact: integer sums are modular.
#include "hlo/integer_arithmetic.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

Operator operation(const HloGraph& h, ClassId x, Kind kind, hlo::Opcode opcode, hlo::Shape shape) {
  Operator op;
  op.kind = kind;
  op.opcode = opcode;
  op.region = h.facts_of(x).region;
  op.shape = std::move(shape);
  return op;
}

ClassId times(HloGraph& h, ClassId x, int64_t n) {
  const hlo::Shape shape = h.shape(x);
  ClassId factor =
      h.integer_constant(h.facts_of(x).region, shape.type, hlo::wrap_integer(shape.type, n));
  if (shape.rank() > 0) {
    factor = h.add(operation(h, x, Kind::kBroadcast, hlo::Opcode::kBroadcast, shape), {&factor, 1});
  }
  const ClassId operands[] = {x, factor};
  return h.add(operation(h, x, Kind::kElementwise, hlo::Opcode::kMultiply, shape), operands);
}

// x beside itself n times: a broadcast along a new dim before d, which a reshape makes one with d.
// What is already the same all along d is only more of that.
ClassId tiles(HloGraph& h, ClassId x, int d, int64_t n) {
  for (NodeId node : h.graph().nodes(x)) {
    const Operator& op = h.op(node);
    if (op.kind != Kind::kBroadcast || std::ranges::count(op.ints, d) > 0) continue;
    hlo::Dims longer = op.shape.dims;
    longer[d] *= n;
    return h.broadcast(node, h.graph().children(node)[0], longer);
  }
  hlo::Shape apart = h.shape(x), joined = apart;
  apart.dims.insert(apart.dims.begin() + d, n);
  joined.dims[d] *= n;
  Operator broadcast = operation(h, x, Kind::kBroadcast, hlo::Opcode::kBroadcast,
                                 hlo::Shape::array(h.type(x), apart.dims));
  for (int dim = 0; dim < joined.rank(); ++dim) broadcast.ints.push_back(dim < d ? dim : dim + 1);
  ClassId repeated = h.add(std::move(broadcast), {&x, 1});
  return h.add(operation(h, x, Kind::kReshape, hlo::Opcode::kReshape, std::move(joined)),
               {&repeated, 1});
}

Verdict is_uniform(const HloGraph& h, const Match& m) {
  const language::Collective& collective = h.collective(m.node(kReduction));
  if (collective.group_size() == 1) return refuse("a group of one has one member");
  if (h.shape(m[kX]).layout) return refuse("packed elements are not repeated or scaled");
  return h.uniform(m[kX], *collective.groups) ? accept()
                                              : refuse("the operand differs inside a group");
}

// What a reduction of equal terms is made of: x, or its own shard.
std::optional<ClassId> part_of(HloGraph& h, const Match& m) {
  const NodeId reduction = m.node(kReduction);
  if (h.op(reduction).kind == Kind::kAllReduce) return m[kX];
  return h.own_shard(m[kX], dim_of(h, reduction), *h.collective(reduction).groups);
}

constexpr const char* kNoPlace = "a member's own shard cannot be written";

void add_reduction(RuleBook& book, Kind kind) {
  HloGraph& h = book.hlo();
  book.add(book.rule(std::string(language::to_string(kind)), unary(kind, kReduction, kX))
               .where([&h](const Match& m) -> Verdict {
                 const hlo::Reducer& reducer = *h.collective(m.node(kReduction)).reducer;
                 const bool is_sum =
                     reducer.kind == hlo::ReducerKind::kAdd && hlo::is_integer(reducer.type);
                 if (!hlo::is_idempotent(reducer.kind) && !is_sum) {
                   return refuse(
                       "the reduction of equal terms is not one of them, nor an integer sum");
                 }
                 return is_uniform(h, m);
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const language::Collective& collective = h.collective(m.node(kReduction));
                 std::optional<ClassId> part = part_of(h, m);
                 if (!part) return refuse(kNoPlace);
                 if (hlo::is_idempotent(collective.reducer->kind)) return *part;
                 return times(h, *part, collective.group_size());
               }));
}

void add(RuleBook& book) {
  HloGraph& h = book.hlo();
  add_reduction(book, Kind::kAllReduce);
  add_reduction(book, Kind::kReduceScatter);
  book.add(book.rule("all-gather", all_gather(kReduction, kX))
               .where([&h](const Match& m) { return is_uniform(h, m); })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId gather = m.node(kReduction);
                 return tiles(h, m[kX], dim_of(h, gather), h.collective(gather).group_size());
               }));
}

}  // namespace

Family collective_of_uniform() {
  return {{.name = "collective-of-uniform",
           .family = "collective algebra",
           .equation = "AR_max(x) = x, AR_add(x) = x * n, RS_d(x) = the own shard of that, AG_d(x) "
                       "= n tiles of x",
           .condition = "x is the same on all members of a group of n; sums of integers, and any "
                        "min, max, and, or",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
