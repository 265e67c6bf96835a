#include "rules/text/operators.h"

#include <algorithm>
#include <cmath>

#include "rules/text/elementwise.h"

namespace flipsat::rules::text {
namespace {

using hlo::Dims;
using hlo::Shape;
using language::Kind;
using Attributes = std::span<const Value>;
using Operands = std::span<const Shape>;
using MaybeShape = std::optional<Shape>;

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

MaybeShape all_gather(Attributes a, Operands x) {
  if (!is_dim(integer(a[0]), x[0])) return std::nullopt;
  int64_t size = 0;
  if (__builtin_mul_overflow(x[0].dims[integer(a[0])], members(a[1]), &size)) return std::nullopt;
  return with_dim(x[0], integer(a[0]), size);
}

MaybeShape all_reduce(Attributes a, Operands x) {
  return reduces(a[0], x[0]) ? MaybeShape(language::value_shape(x[0])) : std::nullopt;
}

// Along a dim that is cut into one block a member.
MaybeShape shard(const Shape& x, int64_t dim, int64_t count) {
  if (!is_dim(dim, x) || count == 0 || x.dims[dim] % count != 0) return std::nullopt;
  return with_dim(x, dim, x.dims[dim] / count);
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

// Are these dims of x, each once?
bool are_dims(const List& dims, const Shape& x) {
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    if (!is_dim(*dim, x) || std::find(dims.begin(), dim, *dim) != dim) return false;
  }
  return true;
}

MaybeShape reverse(Attributes a, Operands x) {
  return are_dims(list(a[0]), x[0]) ? with_dims(x[0], x[0].dims) : std::nullopt;
}

bool is_scalar_of(const Shape& scalar, const Shape& x) {
  return scalar.rank() == 0 && type_of(scalar) == type_of(x);
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

constexpr hlo::Opcode kOpcodes[] = {
#define FLIPSAT_OPCODE(enumerator, spelling, arity, commutative) hlo::Opcode::enumerator,
#include "hlo/opcodes.inc"
#undef FLIPSAT_OPCODE
};

constexpr Slot kDim{"dim", Sort::kInteger, Place::kFirstInt};
constexpr Slot kGroups{"groups", Sort::kGroups, Place::kGroups};
constexpr Slot kPairs{"pairs", Sort::kPairs, Place::kPairs};
constexpr Slot kReducer{"reducer", Sort::kReducer, Place::kReducer};
constexpr Slot kType{"element type", Sort::kType, Place::kType};
constexpr Slot kDims{"dims", Sort::kList, Place::kDims};
constexpr Slot kFunction{"function", Sort::kFunction, Place::kFunction};
Slot ints(std::string_view name) { return {name, Sort::kList, Place::kInts}; }
std::vector<Slot> each_third(std::vector<std::string_view> names) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < names.size(); ++i) {
    slots.push_back({names[i], Sort::kList, Place::kEachThird, i});
  }
  return slots;
}
std::vector<Slot> dot_slots() {
  std::vector<Slot> slots;
  for (std::string_view name :
       {"lhs contracting dims", "rhs contracting dims", "lhs batch dims", "rhs batch dims"}) {
    slots.push_back({name, Sort::kList, Place::kDotDims, slots.size()});
  }
  slots.push_back(kType);
  return slots;
}

using ShapeOf = MaybeShape (*)(Attributes, Operands);

// Named as the opcode.
OperatorRow row(std::string_view name, Kind kind, std::vector<Slot> slots, ShapeOf shape,
                int operands = 1) {
  return {std::string(name),
          kind,
          hlo::opcode_from_string(name),
          std::move(slots),
          operands,
          false,
          shape};
}
OperatorRow row_with_starts(std::string_view name, Kind kind, std::vector<Slot> slots,
                            ShapeOf shape, int operands) {
  OperatorRow result = row(name, kind, std::move(slots), shape, operands);
  result.has_starts = true;
  return result;
}

std::vector<OperatorRow> make_table() {
  std::vector<OperatorRow> table = {
      row("all-gather", Kind::kAllGather, {kDim, kGroups}, all_gather),
      row("all-reduce", Kind::kAllReduce, {kReducer, kGroups}, all_reduce),
      row("reduce-scatter", Kind::kReduceScatter, {kDim, kReducer, kGroups}, reduce_scatter),
      row("all-to-all", Kind::kAllToAll, {kDim, kGroups}, all_to_all),
      row("collective-permute", Kind::kCollectivePermute, {kPairs}, collective_permute),
      row("own-shard", Kind::kDynamicSlice, {kDim, kGroups}, own_shard),
      row("convert", Kind::kConvert, {kType}, convert),
      row("reshape", Kind::kReshape, {kDims}, reshape),
      row("transpose", Kind::kTranspose, {ints("permutation")}, transpose),
      row("broadcast", Kind::kBroadcast, {ints("dimensions"), kDims}, broadcast),
      row("slice", Kind::kSlice, each_third({"start", "limit", "stride"}), slice),
      row("reverse", Kind::kReverse, {ints("dims")}, reverse),
      row("pad", Kind::kPad, each_third({"low", "high", "interior"}), pad, 2),
      row("concatenate", Kind::kConcatenate, {kDim}, concatenate, 2),
      row("reduce", Kind::kReduce, {ints("dims"), kReducer}, reduce, 2),
      row("dot", Kind::kDot, dot_slots(), dot, 2),
      row_with_starts("dynamic-slice", Kind::kDynamicSlice, {ints("sizes")}, dynamic_slice, 1),
      row_with_starts("dynamic-update-slice", Kind::kDynamicUpdateSlice, {}, dynamic_update_slice,
                      2),
      row("constant", Kind::kConstant, {{"value", Sort::kInteger, Place::kConstant}, kType},
          constant, 0),
      row("unary", Kind::kElementwise, {kFunction}, elementwise, 1),
      row("binary", Kind::kElementwise, {kFunction}, elementwise, 2),
      row("ternary", Kind::kElementwise, {kFunction}, elementwise, 3),
  };
  for (hlo::Opcode opcode : kOpcodes) {
    if (language::kind_of(opcode) != Kind::kElementwise || !has_known_results(opcode)) continue;
    table.push_back(row(hlo::to_string(opcode), Kind::kElementwise, {kFunction}, elementwise,
                        hlo::elementwise_arity(opcode)));
  }
  return table;
}

Function function_of(const language::HloGraph& hlo, language::NodeId node) {
  const language::Operator& op = hlo.op(node);
  Function f{op.opcode, op.steering, type_of(op.shape), {}};
  for (language::ClassId child : hlo.graph().children(node)) {
    f.operands.push_back(type_of(hlo.shape(child)));
  }
  return f;
}

// The integer that a scalar constant is, of any type; -0 is none.
Value integer_of(const language::Operator& constant) {
  if (!constant.literal || constant.shape.rank() != 0) return {};
  if (std::optional<int64_t> value = constant.literal->integer_at(0)) return *value;
  std::optional<double> value = constant.literal->float_at(0);
  constexpr double kMost = 1LL << 53;
  if (!value || !(std::fabs(*value) < kMost) || std::trunc(*value) != *value) return {};
  if (*value == 0 && std::signbit(*value)) return {};
  return static_cast<int64_t>(*value);
}

}  // namespace

std::span<const OperatorRow> operator_table() {
  static const std::vector<OperatorRow> kTable = make_table();
  return kTable;
}

const OperatorRow* find_operator(std::string_view name) {
  for (const OperatorRow& row : operator_table()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool needs_function(hlo::Opcode opcode) { return opcode == hlo::Opcode::kCompare; }

Value read_slot(const language::HloGraph& hlo, language::NodeId node, const Slot& slot) {
  const language::Operator& op = hlo.op(node);
  switch (slot.place) {
    case Place::kFirstInt:
      return op.ints[0];
    case Place::kInts:
      return op.ints;
    case Place::kEachThird: {
      List part;
      for (size_t i = slot.offset; i < op.ints.size(); i += 3) part.push_back(op.ints[i]);
      return part;
    }
    case Place::kDims:
      return List(op.shape.dims.begin(), op.shape.dims.end());
    case Place::kType:
      return type_of(op.shape);
    case Place::kReducer:
      return op.reducer ? op.reducer->kind : hlo.collective(node).reducer->kind;
    case Place::kGroups: {
      const language::Collective& collective = hlo.collective(node);
      return Groups{op.collective, collective.groups, collective.has_channel, collective.steering};
    }
    case Place::kPairs: {
      const language::Collective& permute = hlo.collective(node);
      return Pairs{op.collective, *permute.pairs, permute.has_channel, permute.steering};
    }
    case Place::kDotDims: {
      const language::DotDims dims = language::dot_dims(op);
      const List* lists[] = {&dims.lhs_contracting, &dims.rhs_contracting, &dims.lhs_batch,
                             &dims.rhs_batch};
      return *lists[slot.offset];
    }
    case Place::kFunction:
      return function_of(hlo, node);
    case Place::kConstant:
      return integer_of(op);
  }
  return {};
}

void write_attributes(const OperatorRow& row, Attributes attributes, language::Operator& op) {
  if (row.kind == Kind::kDot) op.ints = language::ints_of(dot_dims_of(attributes));
  for (size_t i = 0; i < attributes.size(); ++i) {
    const Value& value = attributes[i];
    switch (row.slots[i].place) {
      case Place::kFirstInt:
        op.ints = {integer(value)};
        break;
      case Place::kInts:
        op.ints = list(value);
        break;
      case Place::kEachThird:
        op.ints.resize(3 * list(value).size());
        for (size_t dim = 0; dim < list(value).size(); ++dim) {
          op.ints[3 * dim + row.slots[i].offset] = list(value)[dim];
        }
        break;
      case Place::kReducer:
        if (!row.is_collective()) op.reducer = {std::get<hlo::ReducerKind>(value), op.shape.type};
        break;
      case Place::kFunction:
        op.opcode = std::get<Function>(value).opcode;
        op.steering = std::get<Function>(value).steering;
        break;
      case Place::kConstant:
        op.literal = hlo::exact_scalar(op.shape.type, integer(value));
        break;
      case Place::kDims:  // follow from the shape
      case Place::kType:
      case Place::kGroups:
      case Place::kPairs:
      case Place::kDotDims:  // all at once
        break;
    }
  }
}

}  // namespace flipsat::rules::text
