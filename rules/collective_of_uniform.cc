// Collectives of a value that is the same on all members of a group of n:
//
//   collective-of-uniform:   AR_max(x) = x, min, and, or alike        exact
//                            AR_add(x) = x * n, integers              exact (modular)
//                            RS_d(x) = the own shard of that          exact
//                            AG_d(x) = n tiles of x along d           exact
//   sum-of-uniform:          AR_add(x) = x * n, RS_d(x) likewise, floats
//
// A float sum of up to four equal terms is their product in any order, and rounds once; one of a
// power of two is that in one of its orders, by halves: a directed edge, order-open. For any other
// n all orders may round: reassoc.
#include <bit>
#include <cstring>

#include "hlo/integer_arithmetic.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr int64_t kMostExactTerms = 4;

// n as a scalar of the type; null where the type does not hold it. Integers are modular.
hlo::LiteralRef number_of_members(hlo::ElementType type, int64_t n) {
  if (hlo::is_integer(type)) return hlo::integer_scalar(type, hlo::wrap_integer(type, n));
  const int mantissa = hlo::float_format(type)->mantissa_bits;
  const int exponent = std::bit_width(static_cast<uint64_t>(n)) - 1;
  if (exponent > mantissa) return nullptr;
  const uint64_t fraction =
      (static_cast<uint64_t>(n) << (mantissa - exponent)) - (uint64_t{1} << mantissa);
  const uint64_t biased = static_cast<uint64_t>(exponent + hlo::float_format(type)->bias);
  const uint64_t bits = biased << mantissa | fraction;
  auto literal = std::make_shared<hlo::Literal>();
  literal->shape = hlo::Shape::array(type, {});
  literal->bytes.resize(hlo::byte_width(type));
  std::memcpy(literal->bytes.data(), &bits, literal->bytes.size());
  return literal;
}

Operator operation(const HloGraph& h, ClassId x, Kind kind, hlo::Opcode opcode, hlo::Shape shape) {
  Operator op;
  op.kind = kind;
  op.opcode = opcode;
  op.region = h.facts_of(x).region;
  op.shape = std::move(shape);
  return op;
}

ClassId times(HloGraph& h, ClassId x, const hlo::LiteralRef& number) {
  const hlo::Shape shape = h.shape(x);
  Operator constant = operation(h, x, Kind::kConstant, hlo::Opcode::kConstant, number->shape);
  constant.literal = number;
  ClassId factor = h.add(std::move(constant), {});
  if (shape.rank() > 0) {
    factor = h.add(operation(h, x, Kind::kBroadcast, hlo::Opcode::kBroadcast, shape), {&factor, 1});
  }
  const ClassId operands[] = {x, factor};
  return h.add(operation(h, x, Kind::kElementwise, hlo::Opcode::kMultiply, shape), operands);
}

// x beside itself n times: a broadcast along a new dim before d, which a reshape makes one with d.
ClassId tiles(HloGraph& h, ClassId x, int d, int64_t n) {
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
                 return times(h, *part, number_of_members(h.type(*part), collective.group_size()));
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

bool has_exact_products(hlo::ElementType type) {
  return type == hlo::ElementType::kF32 || type == hlo::ElementType::kBF16 ||
         type == hlo::ElementType::kF16 || type == hlo::ElementType::kF64;
}

void add_float_sum(RuleBook& book, Kind kind) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule(std::string(language::to_string(kind)), unary(kind, kReduction, kX))
               .where([&h, allowed](const Match& m) -> Verdict {
                 const language::Collective& collective = h.collective(m.node(kReduction));
                 const int64_t n = collective.group_size();
                 if (collective.reducer->kind != hlo::ReducerKind::kAdd ||
                     !has_exact_products(collective.reducer->type)) {
                   return refuse("not a sum of ordinary floats");
                 }
                 if (Verdict verdict = is_uniform(h, m); !verdict) return verdict;
                 if (!number_of_members(collective.reducer->type, n)) {
                   return refuse("the type does not hold the number of members");
                 }
                 if (n <= kMostExactTerms || std::has_single_bit(static_cast<uint64_t>(n)) ||
                     allowed >= hlo::Numerics::kReassoc) {
                   return accept();
                 }
                 return refuse("every order of the sum may round (--numerics reassoc)");
               })
               .then([&h, allowed](EGraph& graph, const Match& m) -> Outcome {
                 const int64_t n = h.collective(m.node(kReduction)).group_size();
                 std::optional<ClassId> part = part_of(h, m);
                 if (!part) return refuse(kNoPlace);
                 ClassId sum = times(h, *part, number_of_members(h.type(*part), n));
                 if (n <= kMostExactTerms || allowed >= hlo::Numerics::kReassoc) return sum;
                 graph.add_edge(m.root(), sum);
                 return Outcome::done();
               }));
}

void add_float_sums(RuleBook& book) {
  add_float_sum(book, Kind::kAllReduce);
  add_float_sum(book, Kind::kReduceScatter);
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

Family sum_of_uniform() {
  return {{.name = "sum-of-uniform",
           .family = "collective algebra",
           .equation = "AR_add(x) = x * n, RS_d(x) = the own shard of that",
           .condition = "x is the same on all members of a group of n; of floats, n at most 4 or a "
                        "power of two, else reassoc",
           .order_open = true,
           .both_directions = false},
          add_float_sums};
}

}  // namespace flipsat::rules
