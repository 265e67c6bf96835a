#include "language/operator.h"

#include <algorithm>
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
  if (op.reducer) {
    append_int(key, static_cast<int64_t>(op.reducer->kind) | static_cast<int64_t>(op.reducer->type)
                                                                 << 8);
  }
  if (op.literal) key.append(op.literal->bytes.begin(), op.literal->bytes.end());
  key += op.steering;
  return key;
}

}  // namespace

std::string_view to_string(Kind kind) {
  static constexpr std::string_view kNames[] = {"opaque",
                                                "constant",
                                                "iota",
                                                "partition-id",
                                                "replica-id",
                                                "tuple",
                                                "get-tuple-element",
                                                "elementwise",
                                                "convert",
                                                "reshape",
                                                "transpose",
                                                "broadcast",
                                                "slice",
                                                "reverse",
                                                "pad",
                                                "concatenate",
                                                "dynamic-slice",
                                                "dynamic-update-slice",
                                                "reduce",
                                                "dot",
                                                "all-gather",
                                                "all-reduce",
                                                "reduce-scatter",
                                                "all-to-all",
                                                "collective-permute"};
  return kNames[static_cast<size_t>(kind)];
}

bool is_collective(Kind kind) {
  switch (kind) {
    case Kind::kAllGather:
    case Kind::kAllReduce:
    case Kind::kReduceScatter:
    case Kind::kAllToAll:
    case Kind::kCollectivePermute:
      return true;
    default:
      return false;
  }
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
    case hlo::Opcode::kReverse:
      return Kind::kReverse;
    case hlo::Opcode::kPad:
      return Kind::kPad;
    case hlo::Opcode::kConcatenate:
      return Kind::kConcatenate;
    case hlo::Opcode::kDynamicSlice:
      return Kind::kDynamicSlice;
    case hlo::Opcode::kDynamicUpdateSlice:
      return Kind::kDynamicUpdateSlice;
    case hlo::Opcode::kReduce:
      return Kind::kReduce;
    case hlo::Opcode::kDot:
      return Kind::kDot;
    case hlo::Opcode::kAllGather:
      return Kind::kAllGather;
    case hlo::Opcode::kAllReduce:
      return Kind::kAllReduce;
    case hlo::Opcode::kReduceScatter:
      return Kind::kReduceScatter;
    case hlo::Opcode::kAllToAll:
      return Kind::kAllToAll;
    case hlo::Opcode::kCollectivePermute:
      return Kind::kCollectivePermute;
    case hlo::Opcode::kStochasticConvert:  // draws its own noise: only equal to itself
      return Kind::kOpaque;
    default:
      return hlo::elementwise_arity(opcode) > 0 ? Kind::kElementwise : Kind::kOpaque;
  }
}

hlo::PaddingDims padding_dims(const Operator& pad) {
  hlo::PaddingDims dims;
  for (size_t i = 0; i < pad.ints.size(); i += 3) {
    dims.push_back({pad.ints[i], pad.ints[i + 1], pad.ints[i + 2]});
  }
  return dims;
}

// Number of contracted dims and of batch dims, then the four lists.
DotDims dot_dims(const Operator& dot) {
  const int64_t* next = dot.ints.data() + 2;
  auto take = [&](int64_t count) {
    std::vector<int64_t> dims(next, next + count);
    next += count;
    return dims;
  };
  DotDims dims;
  dims.lhs_contracting = take(dot.ints[0]);
  dims.rhs_contracting = take(dot.ints[0]);
  dims.lhs_batch = take(dot.ints[1]);
  dims.rhs_batch = take(dot.ints[1]);
  return dims;
}

std::vector<int64_t> ints_of(const DotDims& dims) {
  std::vector<int64_t> ints{static_cast<int64_t>(dims.lhs_contracting.size()),
                            static_cast<int64_t>(dims.lhs_batch.size())};
  for (const auto* list :
       {&dims.lhs_contracting, &dims.rhs_contracting, &dims.lhs_batch, &dims.rhs_batch}) {
    ints.insert(ints.end(), list->begin(), list->end());
  }
  return ints;
}

hlo::Dims dot_result(const hlo::Dims& lhs, const hlo::Dims& rhs, const DotDims& dims) {
  hlo::Dims result;
  for (int64_t dim : dims.lhs_batch) result.push_back(lhs[dim]);
  auto add_free = [&](const hlo::Dims& operand, const std::vector<int64_t>& contracting,
                      const std::vector<int64_t>& batch) {
    for (int64_t dim = 0; dim < static_cast<int64_t>(operand.size()); ++dim) {
      if (std::ranges::find(contracting, dim) == contracting.end() &&
          std::ranges::find(batch, dim) == batch.end()) {
        result.push_back(operand[dim]);
      }
    }
  };
  add_free(lhs, dims.lhs_contracting, dims.lhs_batch);
  add_free(rhs, dims.rhs_contracting, dims.rhs_batch);
  return result;
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
