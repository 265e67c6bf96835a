#include "optimizer/harness/program.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace flipsat::optimizer {

using hlo::AttributeKey;
using hlo::Dims;
using hlo::ElementType;
using hlo::Opcode;
using hlo::Shape;

namespace {

// The bits of a number that the float type holds exactly.
uint64_t float_bits(double value, ElementType type) {
  hlo::FloatFormat format = *hlo::float_format(type);
  uint64_t sign = format.is_signed && std::signbit(value) ? 1 : 0;
  uint64_t rest = 0;
  int mantissa = format.mantissa_bits;
  if (std::isinf(value)) {
    rest = ((uint64_t{1} << format.exponent_bits) - 1) << mantissa;
  } else if (value != 0) {
    int exponent = 0;
    double fraction = std::frexp(std::fabs(value), &exponent);  // in [0.5, 1)
    auto all = static_cast<uint64_t>(std::ldexp(fraction, mantissa + 1));
    if (std::ldexp(static_cast<double>(all), exponent - mantissa - 1) != std::fabs(value)) {
      throw std::logic_error("a number that its type does not hold");
    }
    uint64_t biased = static_cast<uint64_t>(exponent - 1 + format.bias);
    rest = biased << mantissa | (all & ((uint64_t{1} << mantissa) - 1));
  }
  return sign << (format.exponent_bits + mantissa) | rest;
}

}  // namespace

Program::Program(int64_t replicas, int64_t partitions) {
  module_.name = "small";
  module_.file = "small.hlo";
  module_.replica_count = replicas;
  module_.num_partitions = partitions;
  hlo::Computation entry;
  entry.name = "main";
  entry.is_entry = true;
  module_.computations.push_back(std::move(entry));
  module_.order = {0};
  module_.entry = 0;
}

Value Program::add(Opcode opcode, Shape shape, std::vector<Value> operands) {
  auto id = static_cast<Value>(module_.instructions.size());
  hlo::Instruction instruction;
  instruction.name = "v" + std::to_string(id);
  instruction.opcode = opcode;
  instruction.shape = std::move(shape);
  instruction.operands = std::move(operands);
  instruction.computation = module_.entry;
  instruction.touched = true;
  module_.instructions.push_back(std::move(instruction));
  module_.computations[module_.entry].instructions.push_back(id);
  return id;
}

void Program::attribute(Value x, AttributeKey key, hlo::AttributeValue value) {
  hlo::Attribute attribute;
  attribute.key = key;
  attribute.value = std::move(value);
  module_[x].attributes.push_back(std::move(attribute));
}

Value Program::parameter(ElementType type, Dims dims) {
  Value x = add(Opcode::kParameter, Shape::array(type, std::move(dims)), {});
  auto& parameters = module_.computations[module_.entry].parameters;
  module_[x].parameter_number = static_cast<int64_t>(parameters.size());
  parameters.push_back(x);
  return x;
}

Value Program::replicated(ElementType type, Dims dims) {
  Value x = parameter(type, std::move(dims));
  for (auto [key, text] : {std::pair{AttributeKey::kSharding, "{replicated}"},
                           std::pair{AttributeKey::kParameterReplication, "{true}"}}) {
    hlo::Attribute attribute;
    attribute.key = key;
    attribute.text = text;
    module_[x].attributes.push_back(std::move(attribute));
  }
  return x;
}

Value Program::part_of_parameter(ElementType type, Dims dims) {
  Value whole = parameter(type, std::move(dims));
  module_[whole].shape = Shape::tuple({module_[whole].shape});
  return element(whole, 0);
}

Value Program::literal(Shape shape, std::vector<uint8_t> bytes) {
  Value x = add(Opcode::kConstant, shape, {});
  auto literal = std::make_shared<hlo::Literal>();
  literal->shape = std::move(shape);
  literal->bytes = std::move(bytes);
  module_[x].literal = std::move(literal);
  return x;
}

Value Program::integer(int64_t value, ElementType type) {
  Value x = add(Opcode::kConstant, Shape::array(type, {}), {});
  module_[x].literal = hlo::integer_scalar(type, value);
  return x;
}

Value Program::number(double value, ElementType type) {
  if (!hlo::is_float(type)) return integer(static_cast<int64_t>(value), type);
  uint64_t bits = float_bits(value, type);
  std::vector<uint8_t> bytes(static_cast<size_t>(hlo::byte_width(type)));
  std::memcpy(bytes.data(), &bits, bytes.size());
  return literal(Shape::array(type, {}), std::move(bytes));
}

Value Program::zero(ElementType type) { return number(0, type); }

Value Program::iota(ElementType type, Dims dims, int64_t dim) {
  Value x = add(Opcode::kIota, Shape::array(type, std::move(dims)), {});
  attribute(x, AttributeKey::kIotaDimension, dim);
  return x;
}

Value Program::partition_id() {
  return add(Opcode::kPartitionId, Shape::array(ElementType::kU32, {}), {});
}

Value Program::replica_id() {
  return add(Opcode::kReplicaId, Shape::array(ElementType::kU32, {}), {});
}

Value Program::by_device(const std::vector<int64_t>& values) {
  std::vector<uint8_t> bytes(values.size() * 4);
  for (size_t i = 0; i < values.size(); ++i) {
    auto value = static_cast<int32_t>(values[i]);
    std::memcpy(bytes.data() + i * 4, &value, 4);
  }
  auto count = static_cast<int64_t>(values.size());
  Value table = literal(Shape::array(ElementType::kS32, {count}), std::move(bytes));
  Value device = hlo::kNoId;
  if (*module_.replica_count == 1) {
    device = partition_id();
  } else if (*module_.num_partitions == 1) {
    device = replica_id();
  } else {
    Value row = elementwise(Opcode::kMultiply,
                            {replica_id(), integer(*module_.num_partitions, ElementType::kU32)});
    device = elementwise(Opcode::kAdd, {row, partition_id()});
  }
  return reshape(dynamic_slice(table, {device}, {1}), {});
}

Value Program::convert(Value x, ElementType type) {
  return add(Opcode::kConvert, Shape::array(type, dims(x)), {x});
}

Value Program::reshape(Value x, Dims dims) {
  return add(Opcode::kReshape, Shape::array(type(x), std::move(dims)), {x});
}

Value Program::transpose(Value x, const std::vector<int64_t>& permutation) {
  Dims permuted;
  for (int64_t dim : permutation) permuted.push_back(dims(x)[dim]);
  Value result = add(Opcode::kTranspose, Shape::array(type(x), permuted), {x});
  attribute(result, AttributeKey::kDimensions, permutation);
  return result;
}

Value Program::broadcast(Value x, const std::vector<int64_t>& along, Dims dims) {
  Value result = add(Opcode::kBroadcast, Shape::array(type(x), std::move(dims)), {x});
  attribute(result, AttributeKey::kDimensions, along);
  return result;
}

Value Program::slice(Value x, const hlo::SliceDims& ranges) {
  Dims sizes;
  for (const hlo::SliceDim& range : ranges) {
    sizes.push_back((range.limit - range.start + range.stride - 1) / range.stride);
  }
  Value result = add(Opcode::kSlice, Shape::array(type(x), sizes), {x});
  attribute(result, AttributeKey::kSlice, ranges);
  return result;
}

Value Program::pad(Value x, Value with, const hlo::PaddingDims& padding) {
  Dims sizes = dims(x);
  for (size_t i = 0; i < padding.size(); ++i) {
    sizes[i] +=
        padding[i].low + padding[i].high + std::max<int64_t>(sizes[i] - 1, 0) * padding[i].interior;
  }
  Value result = add(Opcode::kPad, Shape::array(type(x), sizes), {x, with});
  attribute(result, AttributeKey::kPadding, padding);
  return result;
}

Value Program::reverse(Value x, const std::vector<int64_t>& dims) {
  Value result = add(Opcode::kReverse, module_[x].shape, {x});
  attribute(result, AttributeKey::kDimensions, dims);
  return result;
}

Value Program::concatenate(const std::vector<Value>& parts, int64_t dim) {
  Dims sizes = dims(parts[0]);
  sizes[dim] = 0;
  for (Value part : parts) sizes[dim] += dims(part)[dim];
  Value result = add(Opcode::kConcatenate, Shape::array(type(parts[0]), sizes), parts);
  attribute(result, AttributeKey::kDimensions, hlo::IntList{dim});
  return result;
}

Value Program::dynamic_slice(Value x, const std::vector<Value>& starts, const Dims& sizes) {
  std::vector<Value> operands{x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  Value result = add(Opcode::kDynamicSlice, Shape::array(type(x), sizes), std::move(operands));
  attribute(result, AttributeKey::kDynamicSliceSizes, hlo::IntList(sizes.begin(), sizes.end()));
  return result;
}

Value Program::dynamic_update_slice(Value x, Value update, const std::vector<Value>& starts) {
  std::vector<Value> operands{x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return add(Opcode::kDynamicUpdateSlice, module_[x].shape, std::move(operands));
}

Value Program::elementwise(Opcode opcode, const std::vector<Value>& operands) {
  return add(opcode, module_[operands[opcode == Opcode::kSelect || opcode == Opcode::kClamp]].shape,
             operands);
}

Value Program::elementwise(Opcode opcode, const std::vector<Value>& operands, Shape shape) {
  return add(opcode, std::move(shape), operands);
}

Value Program::compare(const std::string& direction, Value a, Value b) {
  Value result = add(Opcode::kCompare, Shape::array(ElementType::kPred, dims(a)), {a, b});
  attribute(result, AttributeKey::kDirection, direction);
  return result;
}

Value Program::reduce(Value x, Value init, const std::vector<int64_t>& over,
                      hlo::ReducerKind kind) {
  Dims kept;
  for (int64_t i = 0; i < static_cast<int64_t>(dims(x).size()); ++i) {
    if (std::find(over.begin(), over.end(), i) == over.end()) kept.push_back(dims(x)[i]);
  }
  Value result = add(Opcode::kReduce, Shape::array(type(x), kept), {x, init});
  attribute(result, AttributeKey::kDimensions, over);
  reducer(result, kind);
  return result;
}

Value Program::instruction(Opcode opcode, Shape shape, std::vector<Value> operands,
                           std::vector<std::pair<AttributeKey, hlo::AttributeValue>> attributes) {
  Value result = add(opcode, std::move(shape), std::move(operands));
  for (auto& [key, value] : attributes) attribute(result, key, std::move(value));
  return result;
}

Value Program::dot(Value lhs, Value rhs, const DimPairs& contracting, const DimPairs& batch) {
  hlo::IntList lists[4];
  for (const auto& [left, right] : contracting) {
    lists[0].push_back(left);
    lists[1].push_back(right);
  }
  for (const auto& [left, right] : batch) {
    lists[2].push_back(left);
    lists[3].push_back(right);
  }
  Dims result;
  for (int64_t dim : lists[2]) result.push_back(dims(lhs)[dim]);
  for (int side : {0, 1}) {
    const Dims& from = dims(side == 0 ? lhs : rhs);
    for (int64_t dim = 0; dim < static_cast<int64_t>(from.size()); ++dim) {
      auto has = [&](const hlo::IntList& list) {
        return std::find(list.begin(), list.end(), dim) != list.end();
      };
      if (!has(lists[side]) && !has(lists[2 + side])) result.push_back(from[dim]);
    }
  }
  Value product = add(Opcode::kDot, Shape::array(type(lhs), result), {lhs, rhs});
  const AttributeKey keys[] = {AttributeKey::kLhsContractingDims, AttributeKey::kRhsContractingDims,
                               AttributeKey::kLhsBatchDims, AttributeKey::kRhsBatchDims};
  for (int i = 0; i < 4; ++i) {
    if (!lists[i].empty()) attribute(product, keys[i], lists[i]);
  }
  return product;
}

Value Program::tuple(const std::vector<Value>& parts) {
  std::vector<Shape> shapes;
  for (Value part : parts) shapes.push_back(module_[part].shape);
  return add(Opcode::kTuple, Shape::tuple(std::move(shapes)), parts);
}

Value Program::element(Value tuple, int64_t index) {
  Value result = add(Opcode::kGetTupleElement, (*module_[tuple].shape.parts)[index], {tuple});
  attribute(result, AttributeKey::kIndex, index);
  return result;
}

void Program::spell_groups(Value x, const Grouping& groups) {
  if (groups.mode != hlo::GroupMode::kCrossReplica) {
    attribute(x, AttributeKey::kChannelId, ++channels_);
  }
  attribute(x, AttributeKey::kReplicaGroups,
            std::make_shared<const hlo::ReplicaGroups>(groups.written));
  if (groups.mode == hlo::GroupMode::kFlattenedId) {
    attribute(x, AttributeKey::kUseGlobalDeviceIds, true);
  }
}

void Program::reducer(Value x, hlo::ReducerKind kind) {
  hlo::ComputationId computation = hlo::find_or_add_reducer(module_, kind, type(x));
  attribute(x, AttributeKey::kToApply, hlo::ComputationList{computation});
}

Value Program::all_gather(Value x, int64_t dim, const Grouping& groups) {
  Dims gathered = dims(x);
  gathered[dim] *= groups.size();
  Value result = add(Opcode::kAllGather, Shape::array(type(x), gathered), {x});
  spell_groups(result, groups);
  attribute(result, AttributeKey::kDimensions, hlo::IntList{dim});
  return result;
}

Value Program::all_reduce(Value x, hlo::ReducerKind kind, const Grouping& groups) {
  Value result = add(Opcode::kAllReduce, Shape::array(type(x), dims(x)), {x});
  spell_groups(result, groups);
  reducer(result, kind);
  return result;
}

Value Program::reduce_scatter(Value x, int64_t dim, hlo::ReducerKind kind, const Grouping& groups) {
  Dims scattered = dims(x);
  scattered[dim] /= groups.size();
  Value result = add(Opcode::kReduceScatter, Shape::array(type(x), scattered), {x});
  spell_groups(result, groups);
  attribute(result, AttributeKey::kDimensions, hlo::IntList{dim});
  reducer(result, kind);
  return result;
}

Value Program::all_to_all(Value x, int64_t dim, const Grouping& groups) {
  Value result = add(Opcode::kAllToAll, Shape::array(type(x), dims(x)), {x});
  // Its ids are those of replicas without a channel, of partitions with one.
  if (*module_.replica_count == 1) attribute(result, AttributeKey::kChannelId, ++channels_);
  attribute(result, AttributeKey::kReplicaGroups,
            std::make_shared<const hlo::ReplicaGroups>(groups.groups.groups));
  attribute(result, AttributeKey::kDimensions, hlo::IntList{dim});
  return result;
}

Value Program::collective_permute(Value x, const hlo::DevicePairs& pairs) {
  Value result = add(Opcode::kCollectivePermute, Shape::array(type(x), dims(x)), {x});
  if (*module_.replica_count == 1) attribute(result, AttributeKey::kChannelId, ++channels_);
  hlo::IntLists lists;
  for (const auto& [source, target] : pairs) lists.push_back({source, target});
  attribute(result, AttributeKey::kSourceTargetPairs, std::move(lists));
  return result;
}

Value Program::own_shard(Value x, int64_t dim, const Grouping& groups) {
  Dims sizes = dims(x);
  sizes[dim] /= groups.size();
  std::vector<int64_t> at(static_cast<size_t>(groups.devices()));
  for (int64_t device = 0; device < groups.devices(); ++device) {
    at[device] = groups.position(device) * sizes[dim];
  }
  std::vector<Value> starts;
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
    starts.push_back(i == dim ? by_device(at) : integer(0));
  }
  return dynamic_slice(x, starts, sizes);
}

hlo::Module Program::finish(Value x) {
  module_.computations[module_.entry].root = x;
  return std::move(module_);
}

std::optional<Grouping> regrouped(const Grouping& like, const hlo::ReplicaGroups& device_groups) {
  hlo::Instruction collective;
  collective.opcode = Opcode::kAllGather;
  if (like.mode != hlo::GroupMode::kCrossReplica) {
    collective.set(AttributeKey::kChannelId, int64_t{1});
  }
  if (like.mode == hlo::GroupMode::kFlattenedId) {
    collective.set(AttributeKey::kUseGlobalDeviceIds, true);
  }
  hlo::DeviceCounts counts;
  counts.replicas = like.replicas;
  counts.partitions = like.partitions;
  auto spelling = hlo::spell_groups({device_groups}, collective, counts);
  if (!spelling) return std::nullopt;
  hlo::GroupMode mode = spelling->use_global_device_ids ? hlo::GroupMode::kFlattenedId : like.mode;
  return grouping(like.replicas, like.partitions, mode, spelling->replica_groups);
}

}  // namespace flipsat::optimizer
