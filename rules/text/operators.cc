#include "rules/text/operators.h"

#include <algorithm>
#include <cmath>

#include "rules/text/elementwise.h"
#include "rules/text/shapes.h"

namespace flipsat::rules::text {
namespace {

using language::Kind;
using shapes::Attributes;
using shapes::MaybeShape;
using shapes::Operands;

int64_t integer(const Value& value) { return std::get<int64_t>(value); }
const List& list(const Value& value) { return std::get<List>(value); }

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
      row("all-gather", Kind::kAllGather, {kDim, kGroups}, shapes::all_gather),
      row("all-reduce", Kind::kAllReduce, {kReducer, kGroups}, shapes::all_reduce),
      row("reduce-scatter", Kind::kReduceScatter, {kDim, kReducer, kGroups},
          shapes::reduce_scatter),
      row("all-to-all", Kind::kAllToAll, {kDim, kGroups}, shapes::all_to_all),
      row("collective-permute", Kind::kCollectivePermute, {kPairs}, shapes::collective_permute),
      row("own-shard", Kind::kDynamicSlice, {kDim, kGroups}, shapes::own_shard),
      row("convert", Kind::kConvert, {kType}, shapes::convert),
      row("reshape", Kind::kReshape, {kDims}, shapes::reshape),
      row("transpose", Kind::kTranspose, {ints("permutation")}, shapes::transpose),
      row("broadcast", Kind::kBroadcast, {ints("dimensions"), kDims}, shapes::broadcast),
      row("slice", Kind::kSlice, each_third({"start", "limit", "stride"}), shapes::slice),
      row("reverse", Kind::kReverse, {ints("dims")}, shapes::reverse),
      row("pad", Kind::kPad, each_third({"low", "high", "interior"}), shapes::pad, 2),
      row("concatenate", Kind::kConcatenate, {kDim}, shapes::concatenate, 2),
      row("reduce", Kind::kReduce, {ints("dims"), kReducer}, shapes::reduce, 2),
      row("dot", Kind::kDot, dot_slots(), shapes::dot, 2),
      row_with_starts("dynamic-slice", Kind::kDynamicSlice, {ints("sizes")}, shapes::dynamic_slice,
                      1),
      row_with_starts("dynamic-update-slice", Kind::kDynamicUpdateSlice, {},
                      shapes::dynamic_update_slice, 2),
      row("constant", Kind::kConstant, {{"value", Sort::kInteger, Place::kConstant}, kType},
          shapes::constant, 0),
      row("unary", Kind::kElementwise, {kFunction}, shapes::elementwise, 1),
      row("binary", Kind::kElementwise, {kFunction}, shapes::elementwise, 2),
      row("ternary", Kind::kElementwise, {kFunction}, shapes::elementwise, 3),
  };
  for (hlo::Opcode opcode : kOpcodes) {
    if (language::kind_of(opcode) != Kind::kElementwise || !has_known_results(opcode)) continue;
    table.push_back(row(hlo::to_string(opcode), Kind::kElementwise, {kFunction},
                        shapes::elementwise, hlo::elementwise_arity(opcode)));
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
  if (row.kind == Kind::kDot) op.ints = language::ints_of(shapes::dot_dims_of(attributes));
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
