// Small SPMD programs, built in a line an operation: the cases of the rule harness.
//
//   Program p(groups);
//   Value x = p.parameter(ElementType::kF32, {4, 2});
//   hlo::Module module = p.finish(p.reshape(p.all_gather(x, 0, groups), {16}));
//
// Shapes are worked out where an operation decides them; nothing is checked (hlo/verifier.h does).
#pragma once

#include "hlo/devices.h"
#include "hlo/module.h"
#include "hlo/reducer.h"
#include "optimizer/harness/groupings.h"

namespace flipsat::optimizer {

using Value = hlo::InstructionId;

class Program {
 public:
  Program(int64_t replicas, int64_t partitions);
  explicit Program(const Grouping& grouping) : Program(grouping.replicas, grouping.partitions) {}

  int64_t replicas() const { return *module_.replica_count; }
  int64_t partitions() const { return *module_.num_partitions; }
  int64_t devices() const { return replicas() * partitions(); }
  const hlo::Dims& dims(Value x) const { return module_[x].shape.dims; }
  hlo::ElementType type(Value x) const { return module_[x].shape.type; }

  // ---- what there is to begin with ----
  Value parameter(hlo::ElementType type, hlo::Dims dims);   // another on each device
  Value replicated(hlo::ElementType type, hlo::Dims dims);  // a parameter equal on all
  // The one part of a parameter that is a tuple.
  Value part_of_parameter(hlo::ElementType type, hlo::Dims dims);
  Value integer(int64_t value, hlo::ElementType type = hlo::ElementType::kS32);
  Value zero(hlo::ElementType type);  // +0, false
  // Numbers of a 32-bit or narrower float type, or integers.
  Value number(double value, hlo::ElementType type);
  Value iota(hlo::ElementType type, hlo::Dims dims, int64_t dim);
  Value partition_id();
  Value replica_id();
  // An s32 with the given value on each device: read from a table by the device's number.
  Value by_device(const std::vector<int64_t>& values);

  // ---- on one device ----
  Value convert(Value x, hlo::ElementType type);
  Value reshape(Value x, hlo::Dims dims);
  Value transpose(Value x, const std::vector<int64_t>& permutation);
  // Dim i of x is dim `along[i]` of the result.
  Value broadcast(Value x, const std::vector<int64_t>& along, hlo::Dims dims);
  Value slice(Value x, const hlo::SliceDims& ranges);
  Value pad(Value x, Value with, const hlo::PaddingDims& padding);
  Value reverse(Value x, const std::vector<int64_t>& dims);
  Value concatenate(const std::vector<Value>& parts, int64_t dim);
  Value dynamic_slice(Value x, const std::vector<Value>& starts, const hlo::Dims& sizes);
  Value dynamic_update_slice(Value x, Value update, const std::vector<Value>& starts);
  // Of one to three operands; the result has the first operand's shape unless given.
  Value elementwise(hlo::Opcode opcode, const std::vector<Value>& operands);
  Value elementwise(hlo::Opcode opcode, const std::vector<Value>& operands, hlo::Shape shape);
  Value compare(const std::string& direction, Value a, Value b);
  Value reduce(Value x, Value init, const std::vector<int64_t>& dims, hlo::ReducerKind kind);
  // Any other operation.
  Value instruction(hlo::Opcode opcode, hlo::Shape shape, std::vector<Value> operands,
                    std::vector<std::pair<hlo::AttributeKey, hlo::AttributeValue>> attributes);
  // Contracts and goes along pairs of dims, `contracting` and `batch`: of lhs, of rhs.
  using DimPairs = std::vector<std::pair<int64_t, int64_t>>;
  Value dot(Value lhs, Value rhs, const DimPairs& contracting, const DimPairs& batch);
  Value tuple(const std::vector<Value>& parts);
  Value element(Value tuple, int64_t index);

  // ---- between devices ----
  Value all_gather(Value x, int64_t dim, const Grouping& groups);
  Value all_reduce(Value x, hlo::ReducerKind kind, const Grouping& groups);
  Value reduce_scatter(Value x, int64_t dim, hlo::ReducerKind kind, const Grouping& groups);
  Value all_to_all(Value x, int64_t dim, const Grouping& groups);
  // Sources and targets are device ids, of one replica or one partition a replica.
  Value collective_permute(Value x, const hlo::DevicePairs& pairs);
  // The shard of x along `dim` that a device's place in its group gives it.
  Value own_shard(Value x, int64_t dim, const Grouping& groups);

  // The module with x as its result. The program is spent.
  hlo::Module finish(Value x);

 private:
  Value add(hlo::Opcode opcode, hlo::Shape shape, std::vector<Value> operands);
  Value literal(hlo::Shape shape, std::vector<uint8_t> bytes);
  void attribute(Value x, hlo::AttributeKey key, hlo::AttributeValue value);
  void spell_groups(Value x, const Grouping& groups);
  void reducer(Value x, hlo::ReducerKind kind);

  hlo::Module module_;
  int64_t channels_ = 0;
};

// One with other groups of devices, in a mode that can say them: the mode it has, else flattened
// ids where there is a channel; nullopt where none can.
std::optional<Grouping> regrouped(const Grouping& like, const hlo::ReplicaGroups& device_groups);

}  // namespace flipsat::optimizer
