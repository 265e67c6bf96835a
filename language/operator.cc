#include "language/operator.h"

#include <cstring>

namespace flipsat::language {
namespace {

void append_int(std::string& key, int64_t value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  key.append(raw, sizeof value);
}

void append_shape(std::string& key, const hlo::Shape& shape) {
  append_int(key, static_cast<int64_t>(shape.type) | int64_t{shape.rank()} << 8 |
                      (shape.layout ? int64_t{shape.layout->element_bits} << 32 : 0));
  append_int(key, static_cast<int64_t>(shape.dynamic));
  for (int64_t dim : shape.dims) append_int(key, dim);
  if (!shape.parts) return;
  append_int(key, static_cast<int64_t>(shape.parts->size()));
  for (const hlo::Shape& part : *shape.parts) append_shape(key, part);
}

std::string serialise(const Operator& op) {
  std::string key;
  if (op.identity != hlo::kNoId) {
    append_int(key, int64_t{op.identity} << 1 | 1);
    return key;
  }
  append_int(key, static_cast<int64_t>(op.kind) << 1 | static_cast<int64_t>(op.opcode) << 16);
  append_int(key, op.region | int64_t{op.collective} << 32);
  append_shape(key, op.shape);
  append_int(key, static_cast<int64_t>(op.ints.size()));
  for (int64_t value : op.ints) append_int(key, value);
  if (op.literal) key.append(op.literal->bytes.begin(), op.literal->bytes.end());
  key += op.steering;
  return key;
}

}  // namespace

std::string_view to_string(Kind kind) {
  static constexpr std::string_view kNames[] = {
      "opaque",     "constant",          "iota",        "partition-id",  "replica-id",
      "tuple",      "get-tuple-element", "elementwise", "convert",       "reshape",
      "transpose",  "broadcast",         "slice",       "dynamic-slice", "all-gather",
      "all-reduce", "reduce-scatter"};
  return kNames[static_cast<size_t>(kind)];
}

bool is_collective(Kind kind) {
  return kind == Kind::kAllGather || kind == Kind::kAllReduce || kind == Kind::kReduceScatter;
}

Kind kind_of(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::kConstant:
      return Kind::kConstant;
    case hlo::Opcode::kIota:
      return Kind::kIota;
    case hlo::Opcode::kPartitionId:
      return Kind::kPartitionId;
    case hlo::Opcode::kReplicaId:
      return Kind::kReplicaId;
    case hlo::Opcode::kTuple:
      return Kind::kTuple;
    case hlo::Opcode::kGetTupleElement:
      return Kind::kGetTupleElement;
    case hlo::Opcode::kConvert:
      return Kind::kConvert;
    case hlo::Opcode::kReshape:
      return Kind::kReshape;
    case hlo::Opcode::kTranspose:
      return Kind::kTranspose;
    case hlo::Opcode::kBroadcast:
      return Kind::kBroadcast;
    case hlo::Opcode::kSlice:
      return Kind::kSlice;
    case hlo::Opcode::kDynamicSlice:
      return Kind::kDynamicSlice;
    case hlo::Opcode::kAllGather:
      return Kind::kAllGather;
    case hlo::Opcode::kAllReduce:
      return Kind::kAllReduce;
    case hlo::Opcode::kReduceScatter:
      return Kind::kReduceScatter;
    case hlo::Opcode::kStochasticConvert:  // draws its own noise: only equal to itself
      return Kind::kOpaque;
    default:
      return hlo::elementwise_arity(opcode) > 0 ? Kind::kElementwise : Kind::kOpaque;
  }
}

hlo::Shape value_shape(const hlo::Shape& shape) {
  hlo::Shape result = shape;
  result.layout = nullptr;
  if (shape.layout && shape.layout->element_bits > 0) {
    auto packed = std::make_shared<hlo::Layout>();
    for (int dim = shape.rank() - 1; dim >= 0; --dim) packed->minor_to_major.push_back(dim);
    packed->element_bits = shape.layout->element_bits;
    packed->extras = "E(" + std::to_string(packed->element_bits) + ")";
    result.layout = std::move(packed);
  }
  return result;
}

OperatorIndex OperatorTable::intern(Operator op) {
  auto [it, is_new] =
      index_.try_emplace(serialise(op), static_cast<OperatorIndex>(operators_.size()));
  if (is_new) operators_.push_back(std::move(op));
  return it->second;
}

}  // namespace flipsat::language
