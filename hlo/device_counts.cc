#include <algorithm>

#include "hlo/devices.h"

namespace flipsat::hlo {
namespace {

// More devices than any machine has; facts are vectors over the device set.
constexpr int64_t kMaxDevices = int64_t{1} << 20;

Opcode collective_opcode(const Instruction& instruction) {
  return synchronous(instruction.wrapped.value_or(instruction.opcode));
}

// What the instructions say about the number of devices, where the header is silent.
struct Evidence {
  int64_t partition_ids = 0;    // 1 + the largest id that counts partitions or flattened devices
  int64_t replica_ids = 0;      // 1 + the largest id that counts replicas
  bool has_partitions = false;  // a channel id or a partition-id occurs
  bool spans_all_partitions = false;  // a group of replicas that takes all their partitions along
  int64_t shape_ratio = 0;  // devices in the one group of `{}`, by a gather's or scatter's shapes
};

const Shape& first_leaf(const Shape& shape) {
  const Shape* leaf = &shape;
  while (leaf->is_tuple() && !leaf->parts->empty()) leaf = &leaf->parts->front();
  return *leaf;
}

// How many shards a gather joins or a scatter makes; 0 where its shapes do not say.
int64_t shard_count(const Module& module, const Instruction& instruction) {
  Opcode opcode = collective_opcode(instruction);
  if (opcode != Opcode::kAllGather && opcode != Opcode::kReduceScatter) return 0;
  if (instruction.operands.empty() || instruction.dimensions().size() != 1) return 0;
  const Shape& operand = module[instruction.operands[0]].shape;
  const Shape* result = &instruction.shape;
  bool is_start = instruction.opcode != opcode;
  if (is_start && result->is_tuple() && result->parts->size() >= 2) result = &(*result->parts)[1];
  const Shape& leaf = first_leaf(*result);
  int64_t dim = instruction.dimensions()[0];
  if (dim < 0 || dim >= operand.rank() || operand.rank() != leaf.rank()) return 0;
  int64_t shard = operand.dims[dim];
  int64_t whole = leaf.dims[dim];
  if (opcode == Opcode::kReduceScatter) std::swap(shard, whole);
  return shard > 0 && whole % shard == 0 ? whole / shard : 0;
}

int64_t largest_id(const Instruction& instruction) {
  int64_t largest = -1;
  auto see = [&](const std::vector<int64_t>& ids) {
    for (int64_t id : ids) largest = std::max(largest, id);
  };
  if (const Attribute* attribute = instruction.find(AttributeKey::kReplicaGroups)) {
    if (const auto* groups = std::get_if<ReplicaGroupsRef>(&attribute->value); groups && *groups) {
      for (const auto& group : **groups) see(group);
    }
  }
  if (const Attribute* attribute = instruction.find(AttributeKey::kSourceTargetPairs)) {
    if (const auto* pairs = std::get_if<IntLists>(&attribute->value)) {
      for (const auto& pair : *pairs) see(pair);
    }
  }
  return largest;
}

Evidence collect_evidence(const Module& module) {
  Evidence evidence;
  for (ComputationId computation : module.order) {
    for (InstructionId id : module.computations[computation].instructions) {
      const Instruction& instruction = module[id];
      if (instruction.channel_id() || instruction.opcode == Opcode::kPartitionId) {
        evidence.has_partitions = true;
      }
      if (!is_collective(collective_opcode(instruction))) continue;
      std::optional<GroupMode> mode = group_mode(instruction);
      int64_t largest = largest_id(instruction);
      bool counts_replicas =
          mode == GroupMode::kCrossReplica || mode == GroupMode::kCrossReplicaAndPartition;
      int64_t& ids = counts_replicas ? evidence.replica_ids : evidence.partition_ids;
      ids = std::max(ids, largest + 1);
      bool spans = mode == GroupMode::kCrossReplicaAndPartition;
      evidence.spans_all_partitions |= spans;
      // `{{0}}` across partitions says as little as `{}`.
      if (largest < (spans ? 1 : 0) && evidence.shape_ratio == 0) {
        evidence.shape_ratio = shard_count(module, instruction);
      }
    }
  }
  return evidence;
}

DeviceCounts unknown_counts() {
  DeviceCounts counts;
  counts.known = false;
  return counts;
}

DeviceCounts counted(int64_t replicas, int64_t partitions, std::string source) {
  int64_t devices;
  if (replicas < 1 || partitions < 1 || __builtin_mul_overflow(replicas, partitions, &devices) ||
      devices > kMaxDevices) {
    return unknown_counts();
  }
  return {replicas, partitions, true, std::move(source)};
}

DeviceCounts counts_from_evidence(const Evidence& evidence) {
  constexpr const char* kByGroups = "replica groups";
  constexpr const char* kByShapes = "gather shapes";
  if (!evidence.has_partitions) {
    if (evidence.replica_ids > 0) return counted(evidence.replica_ids, 1, kByGroups);
    return counted(evidence.shape_ratio, 1, kByShapes);
  }
  if (evidence.partition_ids > 0) return counted(1, evidence.partition_ids, kByGroups);
  // Groups of replicas that take all partitions along: their ids still count replicas.
  if (evidence.spans_all_partitions && evidence.replica_ids > 1) {
    return counted(evidence.replica_ids, 1, kByGroups);
  }
  if (!evidence.spans_all_partitions && evidence.replica_ids > 0) {
    return counted(1, evidence.replica_ids, kByGroups);
  }
  return counted(1, evidence.shape_ratio, kByShapes);
}

}  // namespace

DeviceCounts infer_device_counts(const Module& module, const DeviceCountOverrides& overrides) {
  DeviceCounts counts;
  if (module.replica_count || module.num_partitions) {
    // XLA leaves out a count of 1.
    counts = counted(module.replica_count.value_or(1), module.num_partitions.value_or(1), "header");
  } else {
    counts = counts_from_evidence(collect_evidence(module));
  }
  if (!overrides.replicas && !overrides.partitions) return counts;
  return counted(overrides.replicas.value_or(counts.replicas),
                 overrides.partitions.value_or(counts.partitions), "given");
}

}  // namespace flipsat::hlo
