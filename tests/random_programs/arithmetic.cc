#include <algorithm>

#include "tests/random_programs/operations.h"

namespace flipsat::random_programs {
namespace {

using T = ElementType;

bool is_small_float(T type) { return hlo::is_float(type) && hlo::bit_width(type) <= 8; }

}  // namespace

Value convert(Body& body, const Value& x, ElementType type) {
  if (x.type == type) return x;
  return body.add(type, x.dims, "convert", {x});
}

Value random_convert(Body& body, const Value& x) {
  T type = body.program.type();
  // Between floats, mostly: that is what programs do around collectives.
  if (x.is_float() && body.random.chance(80)) type = body.program.float_type();
  return convert(body, x, type);
}

Value random_unary(Body& body, const Value& x) {
  Random& random = body.random;
  std::string opcode = "copy";
  if (x.type == T::kPred) {
    opcode = "not";
  } else if (is_small_float(x.type)) {
    opcode = random.one_of<std::string>({"negate", "abs"});
  } else if (x.is_float()) {
    opcode = random.one_of<std::string>({"negate", "abs", "exponential", "tanh", "floor", "sign",
                                         "logistic", "cosine", "negate", "abs"});
  } else {
    opcode = hlo::is_signed_integer(x.type) ? random.one_of<std::string>({"negate", "abs", "not"})
                                            : std::string("not");
  }
  return body.add(x.type, x.dims, opcode, {x});
}

Value random_binary(Body& body, const Value& x, const Value& y) {
  Random& random = body.random;
  std::string opcode;
  if (x.type == T::kPred) {
    opcode = random.one_of<std::string>({"and", "or", "xor"});
  } else if (x.is_float()) {
    opcode = random.one_of<std::string>(
        {"add", "add", "multiply", "multiply", "subtract", "maximum", "minimum", "divide"});
  } else {
    opcode = random.one_of<std::string>(
        {"add", "add", "multiply", "subtract", "maximum", "minimum", "and", "xor"});
  }
  return random.chance(50) ? body.add(x.type, x.dims, opcode, {x, y})
                           : body.add(x.type, x.dims, opcode, {y, x});
}

Value random_elementwise(Body& body, const Value& x) {
  Random& random = body.random;
  auto broadcast_scalar = [&] {
    Value scalar = body.is_entry && random.chance(40)
                       ? body.parameter(x.type, {}, random.chance(60))
                       : body.scalar(x.type, random.between(0, 3));
    if (x.rank() == 0) return scalar;
    return body.add(x.type, x.dims, "broadcast", {scalar}, ", dimensions={}");
  };
  switch (random.below(8)) {
    case 0:
    case 1:
      return random_unary(body, x);
    case 2:
    case 3:
      return random_binary(body, x, body.like(x));
    case 4:
      return random_binary(body, x, broadcast_scalar());
    case 5: {
      Value y = body.like(x);
      Value pred = body.add(T::kPred, x.dims, "compare", {x, y},
                            ", direction=" + random.one_of<std::string>({"EQ", "LT", "GE", "NE"}));
      return body.add(x.type, x.dims, "select", {pred, x, y});
    }
    case 6: {
      if (x.type == T::kPred) return random_unary(body, x);
      if (random.chance(50)) {
        return body.add(x.type, x.dims, "clamp", {broadcast_scalar(), x, broadcast_scalar()});
      }
      Value low = body.scalar(x.type, 0), high = body.scalar(x.type, 2);
      return body.add(x.type, x.dims, "clamp", {low, x, high});
    }
    default:
      return random_convert(body, x);
  }
}

Value random_reduce(Body& body, const Value& x) {
  if (x.rank() == 0) return x;
  Random& random = body.random;
  std::vector<int64_t> reduced;
  Dims kept;
  const int64_t one = random.below(x.rank());
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    if (dim == one || random.chance(20)) {
      reduced.push_back(dim);
    } else {
      kept.push_back(x.dims[dim]);
    }
  }
  const std::string opcode = random_reducer(random, x.type);
  Value initial = body.scalar(x.type, opcode == "multiply" || opcode == "and" ? 1 : 0);
  return body.add(
      x.type, kept, "reduce", {x, initial},
      ", dimensions=" + braces(reduced) + ", to_apply=" + body.program.reducer(opcode, x.type));
}

Value random_dot(Body& body, const Value& x) {
  Random& random = body.random;
  const bool fits = x.type == T::kF32 || x.type == T::kBF16 || x.type == T::kF16 ||
                    x.type == T::kF64 || x.type == T::kS32;
  if (x.rank() == 0 || x.rank() > 3 || !fits) return x;
  const int64_t contracted = random.below(x.rank());
  const int64_t free = random.one_of<int64_t>({2, 3, 4});
  const bool has_batch = x.rank() > 1 && random.chance(30);
  const int64_t batch = (contracted + 1) % x.rank();
  Dims dims, other_dims;
  std::string attributes;
  if (has_batch) {
    dims.push_back(x.dims[batch]);
    other_dims.push_back(x.dims[batch]);
    attributes += ", lhs_batch_dims={" + std::to_string(batch) + "}, rhs_batch_dims={0}";
  }
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    if (dim != contracted && !(has_batch && dim == batch)) dims.push_back(x.dims[dim]);
  }
  if (hlo::product(dims) * free > 2 * kMostElements) return x;
  attributes += ", lhs_contracting_dims={" + std::to_string(contracted) +
                "}, rhs_contracting_dims={" + std::to_string(other_dims.size()) + "}";
  other_dims.push_back(x.dims[contracted]);
  other_dims.push_back(free);
  dims.push_back(free);
  return body.add(x.type, dims, "dot", {x, body.source(x.type, other_dims)}, attributes);
}

}  // namespace flipsat::random_programs
