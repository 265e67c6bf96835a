#include "rules/text/shapes.h"

#include <algorithm>

#include "rules/text/elementwise.h"

namespace flipsat::rules::text::shapes {
namespace {

using hlo::Dims;
using hlo::Shape;

constexpr size_t kMaxRank = 16;

int64_t integer(const Value& value) { return std::get<int64_t>(value); }

const List& list(const Value& value) { return std::get<List>(value); }

int64_t members(const Value& value) { return std::get<Groups>(value).members->group_size(); }

bool is_dim(int64_t dim, const Shape& of) { return dim >= 0 && dim < of.rank(); }

// The operand's elements in another shape.
MaybeShape with_dims(const Shape& of, Dims dims) {
  if (dims.size() > kMaxRank) return std::nullopt;
  for (int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
  }
  if (hlo::product(dims) == INT64_MAX) return std::nullopt;
  return shape_of(type_of(of), std::move(dims));
}

MaybeShape with_dim(const Shape& of, int64_t dim, int64_t size) {
  Dims dims = of.dims;
  dims[dim] = size;
  return with_dims(of, std::move(dims));
}

// Reducers as XLA has them: `and` and `or` on pred, the others on numbers.
bool reduces(const Value& reducer, const Shape& x) {
  auto kind = std::get<hlo::ReducerKind>(reducer);
  bool is_logical = kind == hlo::ReducerKind::kAnd || kind == hlo::ReducerKind::kOr;
  return is_logical == (x.type == hlo::ElementType::kPred);
}

// Along a dim that is cut into one block a member.
MaybeShape shard(const Shape& x, int64_t dim, int64_t count) {
  if (!is_dim(dim, x) || count == 0 || x.dims[dim] % count != 0) return std::nullopt;
  return with_dim(x, dim, x.dims[dim] / count);
}

// Are these dims of x, each once?
bool are_dims(const List& dims, const Shape& x) {
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    if (!is_dim(*dim, x) || std::find(dims.begin(), dim, *dim) != dim) return false;
  }
  return true;
}

bool is_scalar_of(const Shape& scalar, const Shape& x) {
  return scalar.rank() == 0 && type_of(scalar) == type_of(x);
}

}  // namespace

MaybeShape all_gather(Attributes a, Operands x) {
  if (!is_dim(integer(a[0]), x[0])) return std::nullopt;
  int64_t size = 0;
  if (__builtin_mul_overflow(x[0].dims[integer(a[0])], members(a[1]), &size)) return std::nullopt;
  return with_dim(x[0], integer(a[0]), size);
}

MaybeShape all_reduce(Attributes a, Operands x) {
  return reduces(a[0], x[0]) ? MaybeShape(language::value_shape(x[0])) : std::nullopt;
}

MaybeShape reduce_scatter(Attributes a, Operands x) {
  return reduces(a[1], x[0]) ? shard(x[0], integer(a[0]), members(a[2])) : std::nullopt;
}

MaybeShape own_shard(Attributes a, Operands x) { return shard(x[0], integer(a[0]), members(a[1])); }

MaybeShape convert(Attributes a, Operands x) {
  const Type& type = std::get<Type>(a[0]);
  if (hlo::is_complex(x[0].type) != hlo::is_complex(type.element)) return std::nullopt;
  return shape_of(type, x[0].dims);
}

MaybeShape reshape(Attributes a, Operands x) {
  Dims dims(list(a[0]).begin(), list(a[0]).end());
  MaybeShape shape = with_dims(x[0], dims);
  return shape && shape->element_count() == x[0].element_count() ? shape : std::nullopt;
}

MaybeShape transpose(Attributes a, Operands x) {
  List sorted = list(a[0]);
  std::sort(sorted.begin(), sorted.end());
  Dims dims;
  for (int64_t i = 0; i < static_cast<int64_t>(sorted.size()); ++i) {
    if (sorted[i] != i || !is_dim(i, x[0])) return std::nullopt;
    dims.push_back(x[0].dims[list(a[0])[i]]);
  }
  return static_cast<int>(dims.size()) == x[0].rank() ? with_dims(x[0], dims) : std::nullopt;
}

MaybeShape broadcast(Attributes a, Operands x) {
  const List &along = list(a[0]), &dims = list(a[1]);
  if (static_cast<int>(along.size()) != x[0].rank()) return std::nullopt;
  for (size_t i = 0; i < along.size(); ++i) {
    if (along[i] < 0 || along[i] >= static_cast<int64_t>(dims.size())) return std::nullopt;
    if (dims[along[i]] != x[0].dims[i]) return std::nullopt;
    if (i > 0 && along[i] <= along[i - 1]) return std::nullopt;
  }
  return with_dims(x[0], Dims(dims.begin(), dims.end()));
}

MaybeShape slice(Attributes a, Operands x) {
  const List &start = list(a[0]), &limit = list(a[1]), &stride = list(a[2]);
  auto rank = static_cast<size_t>(x[0].rank());
  if (start.size() != rank || limit.size() != rank || stride.size() != rank) return std::nullopt;
  Dims dims;
  for (size_t i = 0; i < rank; ++i) {
    if (start[i] < 0 || limit[i] < start[i] || limit[i] > x[0].dims[i] || stride[i] < 1) {
      return std::nullopt;
    }
    int64_t length = limit[i] - start[i];
    dims.push_back(length / stride[i] + (length % stride[i] != 0));
  }
  return with_dims(x[0], dims);
}

MaybeShape dynamic_slice(Attributes a, Operands x) {
  const List& sizes = list(a[0]);
  if (static_cast<int>(sizes.size()) != x[0].rank()) return std::nullopt;
  if (x.size() != sizes.size() + 1) return std::nullopt;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > x[0].dims[i]) return std::nullopt;
    if (x[i + 1].rank() != 0 || !hlo::is_integer(x[i + 1].type)) return std::nullopt;
  }
  return with_dims(x[0], Dims(sizes.begin(), sizes.end()));
}

MaybeShape constant(Attributes a, Operands) {
  const Type& type = std::get<Type>(a[1]);
  if (type.packed_bits != 0 || !hlo::exact_scalar(type.element, integer(a[0]))) {
    return std::nullopt;
  }
  return shape_of(type, {});
}

MaybeShape reverse(Attributes a, Operands x) {
  return are_dims(list(a[0]), x[0]) ? with_dims(x[0], x[0].dims) : std::nullopt;
}

MaybeShape pad(Attributes a, Operands x) {
  const List &low = list(a[0]), &high = list(a[1]), &interior = list(a[2]);
  auto rank = static_cast<size_t>(x[0].rank());
  if (low.size() != rank || high.size() != rank || interior.size() != rank) return std::nullopt;
  if (!is_scalar_of(x[1], x[0])) return std::nullopt;
  constexpr int64_t kMost = 1 << 30;  // so that nothing overflows
  Dims dims;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size = x[0].dims[i];
    for (int64_t value : {low[i], high[i], interior[i], size}) {
      if (value > kMost || value < -kMost) return std::nullopt;
    }
    if (interior[i] < 0) return std::nullopt;
    dims.push_back(low[i] + high[i] + size + std::max<int64_t>(size - 1, 0) * interior[i]);
  }
  return with_dims(x[0], dims);
}

MaybeShape concatenate(Attributes a, Operands x) {
  int64_t dim = integer(a[0]);
  if (!is_dim(dim, x[0]) || x[0].rank() != x[1].rank()) return std::nullopt;
  MaybeShape like = with_dim(x[1], dim, x[0].dims[dim]);
  if (!like || !(*like == language::value_shape(x[0]))) return std::nullopt;
  int64_t size = 0;
  if (__builtin_add_overflow(x[0].dims[dim], x[1].dims[dim], &size)) return std::nullopt;
  return with_dim(x[0], dim, size);
}

MaybeShape dynamic_update_slice(Attributes, Operands x) {
  if (!(type_of(x[0]) == type_of(x[1]))) return std::nullopt;
  // Where such a slice could be taken, one can be put.
  const Value sizes = List(x[1].dims.begin(), x[1].dims.end());
  std::vector<Shape> slice_operands(x.begin() + 1, x.end());
  slice_operands[0] = x[0];
  if (!dynamic_slice({&sizes, 1}, slice_operands)) return std::nullopt;
  return language::value_shape(x[0]);
}

MaybeShape reduce(Attributes a, Operands x) {
  const List& over = list(a[0]);
  if (!are_dims(over, x[0]) || !reduces(a[1], x[0]) || !is_scalar_of(x[1], x[0])) {
    return std::nullopt;
  }
  Dims kept;
  for (int64_t i = 0; i < x[0].rank(); ++i) {
    if (std::find(over.begin(), over.end(), i) == over.end()) kept.push_back(x[0].dims[i]);
  }
  return with_dims(x[0], kept);
}

language::DotDims dot_dims_of(Attributes a) {
  return {list(a[0]), list(a[1]), list(a[2]), list(a[3])};
}

MaybeShape dot(Attributes a, Operands x) {
  const language::DotDims dims = dot_dims_of(a);
  const Type& type = std::get<Type>(a[4]);
  if (!(type_of(x[0]) == type_of(x[1])) || x[0].type == hlo::ElementType::kPred) {
    return std::nullopt;
  }
  if (hlo::is_float(x[0].type) != hlo::is_float(type.element) ||
      hlo::bit_width(type.element) < hlo::bit_width(x[0].type)) {
    return std::nullopt;
  }
  auto both = [](List contracting, const List& batch) {
    contracting.insert(contracting.end(), batch.begin(), batch.end());
    return contracting;
  };
  auto fit = [&](const List& left, const List& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [&](int64_t i, int64_t j) { return x[0].dims[i] == x[1].dims[j]; });
  };
  if (!are_dims(both(dims.lhs_contracting, dims.lhs_batch), x[0]) ||
      !are_dims(both(dims.rhs_contracting, dims.rhs_batch), x[1]) ||
      !fit(dims.lhs_contracting, dims.rhs_contracting) || !fit(dims.lhs_batch, dims.rhs_batch)) {
    return std::nullopt;
  }
  return shape_of(type, language::dot_result(x[0].dims, x[1].dims, dims));
}

MaybeShape all_to_all(Attributes a, Operands x) {
  return shard(x[0], integer(a[0]), members(a[1])) ? with_dims(x[0], x[0].dims) : std::nullopt;
}

MaybeShape collective_permute(Attributes, Operands x) { return with_dims(x[0], x[0].dims); }

MaybeShape elementwise(Attributes a, Operands x) {
  return elementwise_shape(std::get<Function>(a[0]), x);
}

}  // namespace flipsat::rules::text::shapes
