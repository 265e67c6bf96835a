#include "rules/text/operators.h"

#include <algorithm>

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
  hlo::ElementType type = std::get<Type>(a[1]).element;
  if (!hlo::is_integer(type)) return std::nullopt;
  int bits = 8 * hlo::byte_width(type);
  if (hlo::bit_width(type) != bits) return std::nullopt;  // packed ones
  int64_t value = integer(a[0]);
  if (hlo::is_signed_integer(type)) {
    int64_t most = INT64_MAX >> (64 - bits);
    if (value > most || value < -most - 1) return std::nullopt;
  } else if (value < 0 || (bits < 64 && value >> bits != 0)) {
    return std::nullopt;
  }
  return Shape::array(type, {});
}

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
constexpr Slot kReducer{"reducer", Sort::kReducer, Place::kReducer};
constexpr Slot kType{"element type", Sort::kType, Place::kType};
constexpr Slot kDims{"dims", Sort::kList, Place::kDims};
constexpr Slot kFunction{"function", Sort::kFunction, Place::kFunction};
Slot ints(std::string_view name) { return {name, Sort::kList, Place::kInts}; }
Slot each_third(std::string_view name, size_t offset) {
  return {name, Sort::kList, Place::kEachThird, offset};
}

std::vector<OperatorRow> make_table() {
  using hlo::Opcode;
  std::vector<OperatorRow> table = {
      {"all-gather", Kind::kAllGather, Opcode::kAllGather, {kDim, kGroups}, 1, false, all_gather},
      {"all-reduce",
       Kind::kAllReduce,
       Opcode::kAllReduce,
       {kReducer, kGroups},
       1,
       false,
       all_reduce},
      {"reduce-scatter",
       Kind::kReduceScatter,
       Opcode::kReduceScatter,
       {kDim, kReducer, kGroups},
       1,
       false,
       reduce_scatter},
      {"own-shard",
       Kind::kDynamicSlice,
       Opcode::kDynamicSlice,
       {kDim, kGroups},
       1,
       false,
       own_shard,
       Sides::kRightOnly},
      {"convert", Kind::kConvert, Opcode::kConvert, {kType}, 1, false, convert},
      {"reshape", Kind::kReshape, Opcode::kReshape, {kDims}, 1, false, reshape},
      {"transpose",
       Kind::kTranspose,
       Opcode::kTranspose,
       {ints("permutation")},
       1,
       false,
       transpose},
      {"broadcast",
       Kind::kBroadcast,
       Opcode::kBroadcast,
       {ints("dimensions"), kDims},
       1,
       false,
       broadcast},
      {"slice",
       Kind::kSlice,
       Opcode::kSlice,
       {each_third("start", 0), each_third("limit", 1), each_third("stride", 2)},
       1,
       false,
       slice},
      {"dynamic-slice",
       Kind::kDynamicSlice,
       Opcode::kDynamicSlice,
       {ints("sizes")},
       1,
       true,
       dynamic_slice},
      {"constant",
       Kind::kConstant,
       Opcode::kConstant,
       {{"value", Sort::kInteger, Place::kConstant}, kType},
       0,
       false,
       constant},
      {"unary", Kind::kElementwise, std::nullopt, {kFunction}, 1, false, elementwise},
      {"binary", Kind::kElementwise, std::nullopt, {kFunction}, 2, false, elementwise},
      {"ternary", Kind::kElementwise, std::nullopt, {kFunction}, 3, false, elementwise},
  };
  for (Opcode opcode : kOpcodes) {
    if (language::kind_of(opcode) != Kind::kElementwise) continue;
    table.push_back({std::string(hlo::to_string(opcode)),
                     Kind::kElementwise,
                     opcode,
                     {kFunction},
                     hlo::elementwise_arity(opcode),
                     false,
                     elementwise});
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

bool needs_function(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kCompare || opcode == hlo::Opcode::kReducePrecision ||
         opcode == hlo::Opcode::kBitcastConvert;
}

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
      return hlo.collective(node).reducer->kind;
    case Place::kGroups: {
      const language::Collective& collective = hlo.collective(node);
      return Groups{op.collective, collective.groups, collective.has_channel, collective.steering};
    }
    case Place::kFunction:
      return function_of(hlo, node);
    case Place::kConstant: {
      if (!op.literal || op.shape.rank() != 0) return {};
      std::optional<int64_t> value = op.literal->integer_at(0);
      return value ? Value(*value) : Value();
    }
  }
  return {};
}

void write_slot(const Slot& slot, const Value& value, language::Operator& op) {
  switch (slot.place) {
    case Place::kFirstInt:
      op.ints = {integer(value)};
      return;
    case Place::kInts:
      op.ints = list(value);
      return;
    case Place::kEachThird:
      op.ints.resize(3 * list(value).size());
      for (size_t i = 0; i < list(value).size(); ++i) {
        op.ints[3 * i + slot.offset] = list(value)[i];
      }
      return;
    case Place::kFunction:
      op.opcode = std::get<Function>(value).opcode;
      op.steering = std::get<Function>(value).steering;
      return;
    case Place::kConstant:
      op.literal = hlo::integer_scalar(op.shape.type, integer(value));
      return;
    case Place::kDims:  // follow from the shape
    case Place::kType:
    case Place::kReducer:
    case Place::kGroups:
      return;
  }
}

}  // namespace flipsat::rules::text
