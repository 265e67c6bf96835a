#include <algorithm>

#include "tests/random_programs/operations.h"

namespace flipsat::random_programs {
namespace {

std::string dimension(int dim) { return ", dimensions={" + std::to_string(dim) + "}"; }

// The newest value, or one with a dim to gather.
Value ranked(Body& body, const Value& x) { return x.rank() > 0 ? x : reshape(body, x, {1}); }

// Several values in one collective: `opcode((x, y), ..)` and its elements.
Value variadic(Body& body, const std::string& opcode, const Value& x, const Value& y,
               const Dims& x_dims, const Dims& y_dims, const std::string& attributes) {
  Program& program = body.program;
  const std::string x_shape = program.shape(x.type, x_dims),
                    y_shape = program.shape(y.type, y_dims);
  Value both{
      body.add_raw("(" + x_shape + ", " + y_shape + ")", opcode, {x.name, y.name}, attributes),
      x.type,
      {},
      false};
  Value second = body.add(y.type, y_dims, "get-tuple-element", {both}, ", index=1");
  (void)second;
  return body.add(x.type, x_dims, "get-tuple-element", {both}, ", index=0");
}

Value mark(Body& body, Value value, bool uniform) {
  body.values.back().uniform = value.uniform = uniform;
  return value;
}

Dims multiplied(const Dims& dims, int dim, int64_t by) {
  Dims result = dims;
  result[dim] *= by;
  return result;
}

bool fits_gather(const Value& x, const Grouping& grouping) {
  return x.elements() * grouping.size <= 4 * kMostElements;
}

Value random_gather(Body& body, const Value& given) {
  Value x = ranked(body, given);
  const Grouping& grouping = body.program.grouping(GroupingKind::kGather);
  if (!fits_gather(x, grouping)) return x;
  const int dim = static_cast<int>(body.random.below(x.rank()));
  const int choice = static_cast<int>(body.random.below(100));
  const Dims dims = multiplied(x.dims, dim, grouping.size);
  if (choice < 6) {
    Value y = body.like(x);
    return variadic(body, "all-gather", x, y, dims, multiplied(y.dims, dim, grouping.size),
                    body.program.attributes(grouping) + dimension(dim));
  }
  if (choice < 10 && body.program.options.exotic) {
    Program& program = body.program;
    const std::string shape =
        "(" + program.shape(x.type, x.dims) + ", " + program.shape(x.type, dims) + ")";
    Value start{body.add_raw(shape, "all-gather-start", {x.name},
                             program.attributes(grouping) + dimension(dim)),
                x.type,
                {},
                false};
    return mark(body, body.add(x.type, dims, "all-gather-done", {start}), grouping.is_one_group());
  }
  return gather(body, x, dim, grouping);
}

Value random_sum(Body& body, const Value& x) {
  const Grouping& grouping = body.program.grouping(GroupingKind::kSum);
  const std::string opcode = random_reducer(body.random, x.type);
  const int choice = static_cast<int>(body.random.below(100));
  if (choice < 8) {
    Value y = body.like(x);
    return variadic(
        body, "all-reduce", x, y, x.dims, y.dims,
        body.program.attributes(grouping) + ", to_apply=" + body.program.reducer(opcode, x.type));
  }
  if (choice < 12 && body.program.options.exotic) {
    Value start = body.add(
        x.type, x.dims, "all-reduce-start", {x},
        body.program.attributes(grouping) + ", to_apply=" + body.program.reducer(opcode, x.type));
    body.values.pop_back();
    return mark(body, body.add(x.type, x.dims, "all-reduce-done", {start}),
                grouping.is_one_group());
  }
  return all_reduce(body, x, opcode, grouping);
}

int dim_divisible_by(const Value& x, int64_t by) {
  for (int dim = 0; dim < x.rank(); ++dim) {
    if (x.dims[dim] % by == 0) return dim;
  }
  return -1;
}

Value random_scatter(Body& body, const Value& x) {
  const Grouping& grouping = body.program.grouping(GroupingKind::kGather);
  const int dim = dim_divisible_by(x, grouping.size);
  if (dim < 0) return random_gather(body, x);
  return reduce_scatter(body, x, dim, random_reducer(body.random, x.type), grouping);
}

Value random_exchange(Body& body, const Value& x) {
  const Grouping& grouping = body.program.grouping(GroupingKind::kExchange);
  std::string attributes = grouping.has_channel ? body.program.channel() : "";
  attributes += ", replica_groups=" + grouping.spelling;
  const int dim = dim_divisible_by(x, grouping.size);
  if (dim < 0) return random_gather(body, x);
  return body.add(x.type, x.dims, "all-to-all", {x}, attributes + dimension(dim));
}

Value random_permute(Body& body, const Value& x) {
  const Pairs pairs = random_pairs(body.random, body.program.mesh);
  return body.add(x.type, x.dims, "collective-permute", {x},
                  (pairs.has_channel ? body.program.channel() : "") +
                      ", source_target_pairs=" + pairs.spelling);
}

}  // namespace

Value gather(Body& body, const Value& x, int dim, const Grouping& grouping) {
  Value value = body.add(x.type, multiplied(x.dims, dim, grouping.size), "all-gather", {x},
                         body.program.attributes(grouping) + dimension(dim));
  return mark(body, value, x.uniform || grouping.is_one_group());
}

std::string random_reducer(Random& random, ElementType type) {
  if (type == ElementType::kPred) return random.one_of<std::string>({"and", "or"});
  return random.one_of<std::string>({"add", "add", "add", "add", "maximum", "minimum", "multiply"});
}

Value all_reduce(Body& body, const Value& x, const std::string& opcode, const Grouping& grouping) {
  Value value = body.add(
      x.type, x.dims, "all-reduce", {x},
      body.program.attributes(grouping) + ", to_apply=" + body.program.reducer(opcode, x.type));
  return mark(body, value, (x.uniform && grouping.size > 0) || grouping.is_one_group());
}

Value reduce_scatter(Body& body, const Value& x, int dim, const std::string& opcode,
                     const Grouping& grouping) {
  Dims dims = x.dims;
  dims[dim] /= grouping.size;
  return body.add(x.type, dims, "reduce-scatter", {x},
                  body.program.attributes(grouping) + dimension(dim) +
                      ", to_apply=" + body.program.reducer(opcode, x.type));
}

Value random_collective(Body& body, const Value& x) {
  switch (body.random.below(10)) {
    case 0:
    case 1:
    case 2:
      return random_gather(body, x);
    case 3:
    case 4:
    case 5:
      return random_sum(body, x);
    case 6:
    case 7:
      return random_scatter(body, x);
    case 8:
      return random_exchange(body, x);
    default:
      return random_permute(body, x);
  }
}

Value divisible(Body& body, int64_t by, int& dim) {
  Value newest = body.any();
  dim = dim_divisible_by(newest, by);
  if (dim >= 0 && body.random.chance(60)) return newest;
  Dims dims;
  const int64_t rank = body.random.between(1, 3);
  dim = static_cast<int>(body.random.below(rank));
  for (int d = 0; d < rank; ++d) {
    dims.push_back(d == dim ? by * body.random.between(1, 2)
                            : body.random.one_of<int64_t>({1, 2, 3, 4}));
  }
  return body.source(body.program.type(), dims);
}

}  // namespace flipsat::random_programs
