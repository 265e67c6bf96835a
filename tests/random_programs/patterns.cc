// The left sides that rules look for, with something between their parts now and then.
#include <algorithm>
#include <numeric>

#include "tests/random_programs/operations.h"

namespace flipsat::random_programs {
namespace {

using T = ElementType;

// What a rule must see through, or must not.
Value between(Body& body, const Value& x) {
  Random& random = body.random;
  if (random.chance(70)) return x;
  switch (random.below(5)) {
    case 0:
      return body.add(x.type, x.dims, "copy", {x});
    case 1:
      return through_tuple(body, x);
    case 2: {
      Value wide = convert(body, x, x.type == T::kBF16 ? T::kF32 : T::kF64);
      return x.is_float() ? convert(body, wide, x.type) : x;
    }
    case 3:
      return random_transpose(body, x);
    default:
      return reshape(body, random_reshape(body, x), x.dims);
  }
}

// The same, of the same dims.
Value in_place(Body& body, const Value& x) {
  Value moved = between(body, x);
  return moved.dims == x.dims ? moved : x;
}

struct Gathered {
  Value value;
  int dim = 0;
  const Grouping* grouping = nullptr;
};

// A gather of the newest value or a new one.
Gathered some_gather(Body& body) {
  Gathered result;
  result.grouping = &body.program.grouping(GroupingKind::kGather);
  Value x = body.any();
  if (x.rank() == 0 || x.elements() * result.grouping->size > 2 * kMostElements) {
    int unused = 0;
    x = divisible(body, 1, unused);
  }
  if (x.elements() * result.grouping->size > 4 * kMostElements) {
    x = body.source(body.program.type(), {2, 2});
  }
  result.dim = static_cast<int>(body.random.below(x.rank()));
  result.value = gather(body, x, result.dim, *result.grouping);
  return result;
}

Value gather_then_convert(Body& body) {
  return random_convert(body, between(body, some_gather(body).value));
}

Value gather_then_reshape(Body& body) {
  return random_reshape(body, between(body, some_gather(body).value));
}

Value gathers_then_elementwise(Body& body) {
  Random& random = body.random;
  Gathered first = some_gather(body);
  Dims local = first.value.dims;
  local[first.dim] /= first.grouping->size;
  Value partner;
  switch (random.below(5)) {
    case 3: {  // the same on the members of a group, if of the same group
      partner = all_reduce(body, body.source(first.value.type, first.value.dims),
                           random_reducer(random, first.value.type),
                           body.program.grouping(GroupingKind::kSum));
      break;
    }
    case 0:
    case 1: {
      auto x = body.any_of(first.value.type, local);
      partner =
          gather(body, x ? *x : body.source(first.value.type, local), first.dim, *first.grouping);
      break;
    }
    case 2: {
      Value scalar = body.is_entry ? body.parameter(first.value.type, {}, true)
                                   : body.scalar(first.value.type, 2);
      partner =
          body.add(first.value.type, first.value.dims, "broadcast", {scalar}, ", dimensions={}");
      break;
    }
    default:
      partner = body.is_entry ? body.parameter(first.value.type, first.value.dims, true)
                              : body.source(first.value.type, first.value.dims);
  }
  return random_binary(body, in_place(body, first.value), partner);
}

Value gather_then_slice(Body& body) {
  Gathered g = some_gather(body);
  return random_dynamic_slice(body, between(body, g.value),
                              body.random.chance(75) ? Starts::kUniform : Starts::kAny,
                              body.random.chance(80) ? g.dim : -1);
}

Value elementwise_then_gather(Body& body) {
  Value x = body.any();
  if (x.rank() == 0) x = body.source(body.program.type(), {4});
  Value y = body.random.chance(50) ? random_convert(body, x) : random_elementwise(body, x);
  y = body.random.chance(30) ? random_reshape(body, y) : y;
  if (y.rank() == 0) return y;
  const Grouping& grouping = body.program.grouping(GroupingKind::kGather);
  if (y.elements() * grouping.size > 4 * kMostElements) return y;
  return gather(body, y, static_cast<int>(body.random.below(y.rank())), grouping);
}

Value slice_then_gather(Body& body) {
  Value x = body.any();
  const Grouping& grouping = body.program.grouping(GroupingKind::kGather);
  if (x.rank() == 0 || x.elements() * grouping.size > 2 * kMostElements) return x;
  Value y = random_dynamic_slice(body, x, Starts::kUniform);
  return gather(body, y, static_cast<int>(body.random.below(y.rank())), grouping);
}

// convert(R(x)), or R(convert(x)).
Value reduce_with_convert(Body& body) {
  Random& random = body.random;
  const T narrow = random.one_of({T::kBF16, T::kBF16, T::kF16, T::kF32, T::kS8, T::kS32});
  Value x = convert(body, body.any(), narrow);
  const T other = hlo::is_float(narrow) ? random.one_of({T::kF32, T::kF32, T::kF64, T::kBF16})
                                        : random.one_of({T::kS32, T::kS16, T::kS8, T::kF32});
  const bool converts_first = random.chance(35);
  if (converts_first) x = convert(body, x, other);
  Value sum;
  int dim = -1;
  const Grouping& grouping = body.program.grouping(GroupingKind::kGather);
  for (int d = 0; d < x.rank(); ++d) {
    if (x.dims[d] % grouping.size == 0) dim = d;
  }
  if (dim >= 0 && random.chance(40)) {
    sum = reduce_scatter(body, x, dim, random_reducer(random, x.type), grouping);
  } else {
    sum = all_reduce(body, x, random_reducer(random, x.type),
                     body.program.grouping(GroupingKind::kSum));
  }
  return converts_first ? sum : convert(body, between(body, sum), other);
}

Value scatter_with_transpose(Body& body) {
  const Grouping& grouping = body.program.grouping(GroupingKind::kGather);
  int dim = 0;
  Value x = divisible(body, grouping.size, dim);
  const std::string opcode = random_reducer(body.random, x.type);
  if (body.random.chance(60)) {
    Value scattered = reduce_scatter(body, x, dim, opcode, grouping);
    if (body.random.chance(30)) scattered = random_convert(body, scattered);
    return random_transpose(body, scattered);
  }
  std::vector<int64_t> permutation(x.dims.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  body.random.shuffle(permutation);
  const auto to = std::find(permutation.begin(), permutation.end(), dim) - permutation.begin();
  return reduce_scatter(body, transpose(body, x, permutation), static_cast<int>(to), opcode,
                        grouping);
}

// Each device keeps a block of a sum: its own, mostly.
Value sum_then_block(Body& body) {
  Random& random = body.random;
  const Grouping& grouping = body.program.grouping(GroupingKind::kGather);
  int dim = 0;
  Value x = divisible(body, grouping.size * (random.chance(15) ? 2 : 1), dim);
  Value sum = all_reduce(body, x, random_reducer(random, x.type), grouping);
  std::vector<int64_t> positions = grouping.positions();
  if (random.chance(25)) {  // other blocks than the order of members says
    std::vector<int64_t> order(static_cast<size_t>(grouping.size));
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(order);
    for (int64_t& position : positions) position = order[position];
  } else if (random.chance(15)) {  // no block of its own for everybody
    for (int64_t& position : positions) position = random.below(grouping.size);
  }
  Value block = cut_block(body, in_place(body, sum), dim, x.dims[dim] / grouping.size, positions);
  if (random.chance(40)) return random_convert(body, block);
  return random.chance(30) ? random_transpose(body, block) : block;
}

Value gather_then_block(Body& body) {
  Gathered g = some_gather(body);
  const int64_t block = g.value.dims[g.dim] / g.grouping->size;
  std::vector<int64_t> positions = g.grouping->positions();
  if (body.random.chance(20)) body.random.shuffle(positions);
  return cut_block(body, in_place(body, g.value), g.dim, block, positions);
}

Value block_then_gather(Body& body) {
  const Grouping& grouping = body.program.grouping(GroupingKind::kGather);
  int dim = 0;
  Value x = divisible(body, grouping.size, dim);
  if (body.is_entry && body.random.chance(60)) x = body.parameter(x.type, x.dims, true);
  Value block = cut_block(body, x, dim, x.dims[dim] / grouping.size, grouping.positions());
  return gather(body, in_place(body, block), dim, grouping);
}

// Two collectives with nothing or little between them.
Value chained_collectives(Body& body) {
  return random_collective(body, between(body, random_collective(body, body.any())));
}

Value sum_of_sums(Body& body) {
  Value x = body.any();
  const Grouping& grouping = body.program.grouping(GroupingKind::kSum);
  const std::string opcode = random_reducer(body.random, x.type);
  Value y = body.like(x);
  return random_binary(body, all_reduce(body, x, opcode, grouping),
                       all_reduce(body, y, opcode, grouping));
}

// The same gather twice, under channels of their own.
Value duplicates(Body& body) {
  Gathered g = some_gather(body);
  Value x = body.like(g.value);
  Dims local = g.value.dims;
  local[g.dim] /= g.grouping->size;
  auto operand = body.any_of(g.value.type, local);
  if (!operand) return random_binary(body, g.value, x);
  Value a = gather(body, *operand, g.dim, *g.grouping);
  Value b = gather(body, *operand, g.dim, *g.grouping);
  return random_binary(body, random_unary(body, a), b);
}

// One element of a collective's result, times zero, added to the next one's operand.
Value threaded(Body& body) {
  Gathered g = some_gather(body);
  if (!g.value.is_float()) return g.value;
  Dims one(g.value.dims.size(), 1);
  std::string bounds;
  for (int dim = 0; dim < g.value.rank(); ++dim) bounds += dim ? ", [0:1]" : "[0:1]";
  Value element = body.add(g.value.type, one, "slice", {g.value}, ", slice={" + bounds + "}");
  Value scalar = reshape(body, element, {});
  Value token = body.add(scalar.type, {}, "multiply", {scalar, body.scalar(scalar.type, 0)});
  Value next = body.source(scalar.type, {4});
  Value spread = body.add(scalar.type, next.dims, "broadcast", {token}, ", dimensions={}");
  Value operand = body.add(scalar.type, next.dims, "add", {next, spread});
  random_convert(body, g.value);
  return random_collective(body, operand);
}

Value dot_of_gather(Body& body) { return random_dot(body, between(body, some_gather(body).value)); }

}  // namespace

Value random_pattern(Body& body) {
  using Pattern = Value (*)(Body&);
  static const std::vector<Pattern> kPatterns = {gather_then_convert,
                                                 gather_then_reshape,
                                                 gathers_then_elementwise,
                                                 gather_then_slice,
                                                 elementwise_then_gather,
                                                 slice_then_gather,
                                                 reduce_with_convert,
                                                 scatter_with_transpose,
                                                 sum_then_block,
                                                 sum_then_block,
                                                 gather_then_block,
                                                 block_then_gather,
                                                 chained_collectives,
                                                 sum_of_sums,
                                                 duplicates,
                                                 threaded,
                                                 dot_of_gather};
  return body.random.pick(kPatterns)(body);
}

}  // namespace flipsat::random_programs
