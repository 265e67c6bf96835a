#include <algorithm>
#include <numeric>

#include "tests/random_programs/operations.h"

namespace flipsat::random_programs {

Value transpose(Body& body, const Value& x, const std::vector<int64_t>& permutation) {
  Dims dims;
  for (int64_t dim : permutation) dims.push_back(x.dims[dim]);
  return body.add(x.type, dims, "transpose", {x}, ", dimensions=" + braces(permutation));
}

Value reshape(Body& body, const Value& x, const Dims& dims) {
  return body.add(x.type, dims, "reshape", {x});
}

Value random_transpose(Body& body, const Value& x) {
  if (x.rank() < 2) return x;
  std::vector<int64_t> permutation(x.dims.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  body.random.shuffle(permutation);
  return transpose(body, x, permutation);
}

Value random_reshape(Body& body, const Value& x) {
  Random& random = body.random;
  Dims dims = x.dims;
  for (int64_t times = random.between(1, 2); times > 0; --times) {
    const int64_t at = dims.empty() ? 0 : random.below(static_cast<int64_t>(dims.size()));
    const bool merges = dims.size() > 1 && random.chance(45);
    if (merges) {
      const int64_t first = std::min<int64_t>(at, static_cast<int64_t>(dims.size()) - 2);
      dims[first] *= dims[first + 1];
      dims.erase(dims.begin() + first + 1);
    } else if (dims.size() < 5) {
      std::vector<int64_t> factors{1};
      for (int64_t f = 2; !dims.empty() && f <= dims[at]; ++f) {
        if (dims[at] % f == 0) factors.push_back(f);
      }
      const int64_t factor = random.pick(factors);
      if (!dims.empty()) dims[at] /= factor;
      dims.insert(dims.begin() + at, factor);
    }
  }
  return reshape(body, x, dims);
}

Value random_slice(Body& body, const Value& x) {
  if (x.rank() == 0 || x.elements() == 0) return x;
  Random& random = body.random;
  Dims dims;
  std::string bounds;
  for (int64_t size : x.dims) {
    int64_t from = 0, to = size, stride = 1;
    if (random.chance(50)) {
      from = random.below(size);
      to = random.between(from + 1, size);
      if (random.chance(25)) stride = 2;
    }
    dims.push_back((to - from + stride - 1) / stride);
    bounds += (bounds.empty() ? "[" : ", [") + std::to_string(from) + ":" + std::to_string(to) +
              (stride > 1 ? ":" + std::to_string(stride) : "") + "]";
  }
  return body.add(x.type, dims, "slice", {x}, ", slice={" + bounds + "}");
}

namespace {

std::vector<int64_t> random_starts(Body& body, int64_t room) {
  std::vector<int64_t> starts;
  for (int64_t i = 0; i < body.program.mesh.devices(); ++i) {
    // Now and then out of range, where it is clamped.
    starts.push_back(body.random.chance(10) ? room + 2 : body.random.between(0, room));
  }
  return starts;
}

Value start(Body& body, ElementType type, int64_t room, Starts how) {
  Random& random = body.random;
  if (room == 0 && random.chance(80)) return body.scalar(type, 0);
  const bool is_uniform = how == Starts::kUniform || (how == Starts::kAny && random.chance(50));
  if (random.chance(25)) {  // a loop's counter, something computed
    auto found = body.any_of(type, {});
    if (found && (found->uniform || !is_uniform)) return *found;
  }
  if (random.chance(8)) {  // the same on the members of some group
    return all_reduce(body, body.by_device(type, random_starts(body, room)),
                      random.one_of<std::string>({"add", "maximum"}),
                      body.program.grouping(GroupingKind::kSum));
  }
  if (!is_uniform) {
    if (body.is_entry && random.chance(25)) return body.parameter(type, {}, false);
    return body.by_device(type, random_starts(body, room));
  }
  if (body.is_entry && random.chance(30)) return body.parameter(type, {}, true);
  return body.scalar(type, random_starts(body, room)[0]);
}

ElementType index_type(Random& random) {
  return random.chance(85) ? ElementType::kS32
                           : random.one_of({ElementType::kU32, ElementType::kS64});
}

}  // namespace

Value random_dynamic_slice(Body& body, const Value& x, Starts starts, int whole_dim) {
  if (x.rank() == 0 || x.elements() == 0) return x;
  Dims sizes = x.dims;
  std::vector<Value> operands{x};
  const ElementType type = index_type(body.random);
  const int64_t cut = body.random.below(x.rank());
  for (int dim = 0; dim < x.rank(); ++dim) {
    const bool cuts = dim != whole_dim && (dim == cut || body.random.chance(20));
    if (cuts) sizes[dim] = body.random.between(1, x.dims[dim]);
    operands.push_back(start(body, type, x.dims[dim] - sizes[dim], starts));
  }
  return body.add(x.type, sizes, "dynamic-slice", operands,
                  ", dynamic_slice_sizes=" + braces(sizes));
}

Value cut_block(Body& body, const Value& x, int dim, int64_t block,
                const std::vector<int64_t>& position) {
  std::vector<int64_t> starts;
  for (int64_t at : position) starts.push_back(at * block);
  const ElementType type = index_type(body.random);
  std::vector<Value> operands{x};
  for (int d = 0; d < x.rank(); ++d) {
    operands.push_back(d == dim ? body.by_device(type, starts) : body.scalar(type, 0));
  }
  Dims sizes = x.dims;
  sizes[dim] = block;
  return body.add(x.type, sizes, "dynamic-slice", operands,
                  ", dynamic_slice_sizes=" + braces(sizes));
}

Value random_update(Body& body, const Value& x) {
  if (x.rank() == 0 || x.elements() == 0) return x;
  Dims sizes = x.dims;
  const int64_t cut = body.random.below(x.rank());
  sizes[cut] = body.random.between(1, sizes[cut]);
  const ElementType type = index_type(body.random);
  std::vector<Value> operands{x, body.source(x.type, sizes)};
  for (int dim = 0; dim < x.rank(); ++dim) {
    operands.push_back(start(body, type, x.dims[dim] - sizes[dim], Starts::kAny));
  }
  return body.add(x.type, x.dims, "dynamic-update-slice", operands);
}

Value random_pad(Body& body, const Value& x) {
  if (x.rank() == 0 || x.elements() == 0) return x;
  Dims dims = x.dims;
  std::string text;
  for (int64_t& size : dims) {
    int64_t low = 0, high = 0, interior = 0;
    if (body.random.chance(40)) {
      low = body.random.between(size > 2 ? -1 : 0, 2);
      high = body.random.between(0, 1);
      interior = body.random.chance(15) ? 1 : 0;
    }
    size = low + high + size + interior * (size - 1);
    text += (text.empty() ? "" : "x") + std::to_string(low) + "_" + std::to_string(high) +
            (interior ? "_" + std::to_string(interior) : "");
  }
  if (hlo::product(dims) > 2 * kMostElements) return x;
  Value value = body.random.chance(70) || !body.is_entry
                    ? body.scalar(x.type, body.random.below(2))
                    : body.parameter(x.type, {}, body.random.chance(50));
  return body.add(x.type, dims, "pad", {x, value}, ", padding=" + text);
}

Value random_concatenate(Body& body, const Value& x) {
  if (x.rank() == 0 || x.elements() > kMostElements) return x;
  Value other = body.like(x);
  Dims dims = x.dims;
  const int64_t dim = body.random.below(x.rank());
  dims[dim] *= 2;
  return body.add(x.type, dims, "concatenate", {x, other},
                  ", dimensions={" + std::to_string(dim) + "}");
}

Value random_broadcast(Body& body, const Value& x) {
  if (x.rank() > 3 || x.elements() * 2 > kMostElements) return x;
  const int64_t size = body.random.one_of<int64_t>({2, 3, 4, 8});
  if (x.elements() * size > 2 * kMostElements) return x;
  Dims dims = x.dims;
  const int64_t at = body.random.between(0, x.rank());
  dims.insert(dims.begin() + at, size);
  std::vector<int64_t> kept;
  for (int64_t dim = 0; dim < static_cast<int64_t>(dims.size()); ++dim) {
    if (dim != at) kept.push_back(dim);
  }
  return body.add(x.type, dims, "broadcast", {x}, ", dimensions=" + braces(kept));
}

Value random_reverse(Body& body, const Value& x) {
  if (x.rank() == 0) return x;
  return body.add(x.type, x.dims, "reverse", {x},
                  ", dimensions={" + std::to_string(body.random.below(x.rank())) + "}");
}

Value movement(Body& body, const Value& x) {
  switch (body.random.below(13)) {
    case 0:
    case 1:
      return random_transpose(body, x);
    case 2:
    case 3:
      return random_reshape(body, x);
    case 4:
      return random_slice(body, x);
    case 5:
    case 6:
      return random_dynamic_slice(body, x, Starts::kAny);
    case 7:
      return random_update(body, x);
    case 8:
      return random_pad(body, x);
    case 9:
      return random_concatenate(body, x);
    case 10:
      return random_broadcast(body, x);
    case 11:
      return random_reverse(body, x);
    default:
      return body.add(x.type, x.dims, "copy", {x});
  }
}

}  // namespace flipsat::random_programs
