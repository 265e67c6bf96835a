// Collectives: groups, dims, and shapes against group sizes.
#include <algorithm>

#include "hlo/verify_context.h"

namespace flipsat::hlo {
namespace {

Opcode collective_opcode(const Instruction& instruction) {
  return synchronous(instruction.wrapped.value_or(instruction.opcode));
}

// How many ids there are to group, or 0 where nothing sure is known: counts that were read off the
// groups themselves say nothing about them, and a count of 1 is XLA's way of not saying.
int64_t id_count(const VerifyContext& context, GroupMode mode) {
  const DeviceCounts& counts = context.counts;
  if (!counts.known) return 0;
  int64_t count = counts.devices();
  if (mode == GroupMode::kCrossPartition) count = counts.partitions;
  if (mode == GroupMode::kCrossReplica || mode == GroupMode::kCrossReplicaAndPartition) {
    count = counts.replicas;
  }
  return count == 1 ? 0 : count;
}

const ReplicaGroups& written_groups(const Instruction& collective) {
  static const ReplicaGroups kNone;
  const Attribute* attribute = collective.find(AttributeKey::kReplicaGroups);
  const auto* groups = attribute ? std::get_if<ReplicaGroupsRef>(&attribute->value) : nullptr;
  return groups && *groups ? **groups : kNone;
}

void verify_groups(const VerifyContext& context, const Instruction& collective) {
  std::optional<GroupMode> mode = group_mode(collective);
  if (!mode) context.refuse(collective, "use_global_device_ids needs a channel_id");
  const ReplicaGroups& groups = written_groups(collective);
  if (groups.empty()) {
    bool is_global = *mode == GroupMode::kFlattenedId;
    context.require(!is_global, collective, "use_global_device_ids needs replica groups");
    return;
  }
  int64_t limit = id_count(context, *mode);
  std::vector<int64_t> ids;
  for (const auto& group : groups) {
    context.require(!group.empty(), collective, "a replica group is empty");
    if (collective_opcode(collective) != Opcode::kAllReduce) {
      context.require(group.size() == groups[0].size(), collective,
                      "its replica groups have different sizes");
    }
    ids.insert(ids.end(), group.begin(), group.end());
  }
  std::sort(ids.begin(), ids.end());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || (limit > 0 && ids[i] >= limit)) {
      context.refuse(collective, "id " + std::to_string(ids[i]) +
                                     " in its replica groups is out of "
                                     "range for " +
                                     std::to_string(limit));
    }
    if (i > 0 && ids[i] == ids[i - 1]) {
      context.refuse(collective, "id " + std::to_string(ids[i]) + " is in two replica groups");
    }
  }
  bool are_all = limit == 0 || context.counts.source == "replica groups" ||
                 static_cast<int64_t>(ids.size()) == limit;
  if (!are_all) {
    context.refuse(collective, "its replica groups name " + std::to_string(ids.size()) + " of " +
                                   std::to_string(limit) + " ids");
  }
}

// The result (of a start: the results inside its shape) as one shape for each operand.
std::vector<Shape> result_shapes(const VerifyContext& context, const Instruction& collective) {
  const Shape* results = &collective.shape;
  bool in_start = collective.opcode == Opcode::kAllGatherStart ||
                  collective.opcode == Opcode::kCollectivePermuteStart ||
                  collective.opcode == Opcode::kAsyncStart;
  if (in_start) {
    context.require(results->is_tuple() && results->parts->size() >= 2, collective,
                    "the shape of a start holds operands and results");
    results = &(*results->parts)[1];
  }
  size_t operands = collective.operands.size();
  std::vector<Shape> shapes;
  if (results->is_tuple()) {
    shapes = *results->parts;
  } else {
    shapes.push_back(*results);
  }
  if (shapes.size() != operands) {
    context.refuse(collective, "it has " + std::to_string(operands) + " operands but " +
                                   std::to_string(shapes.size()) + " results");
  }
  return shapes;
}

int64_t collective_dim(const VerifyContext& context, const Instruction& collective) {
  context.require(collective.dimensions().size() == 1, collective, "it needs one dimension");
  int64_t dim = collective.dimensions()[0];
  // Scalars may ride along in a batch (tokens of the torch kind); they have no such dim.
  int rank = 0;
  for (size_t i = 0; i < collective.operands.size(); ++i) {
    rank = std::max(rank, context.operand_array(collective, i).rank());
  }
  if (dim < 0 || dim >= rank) {
    context.refuse(collective, "dimension " + std::to_string(dim) + " is out of range for rank " +
                                   std::to_string(rank));
  }
  return dim;
}

// Members of a group where all groups are equally large; 0: unknown. A single member is what one
// gets for counts that nobody gave; XLA, too, takes it for not known.
int64_t group_size(const VerifyContext& context, const Instruction& collective) {
  DeviceGroupsRef groups = device_groups(collective, context.counts);
  int64_t size = groups ? groups->group_size() : 0;
  return size == 1 ? 0 : size;
}

void require_element(const VerifyContext& context, const Instruction& collective,
                     const Shape& result, const Shape& expected) {
  if (context.fits(result, expected)) return;
  context.refuse(collective, "the result is " + to_string_without_layout(result) +
                                 ", but its operands make " + to_string_without_layout(expected));
}

// Gather (result = operand with the dim n times as large) and scatter (the other way round).
void verify_sharding_collective(const VerifyContext& context, const Instruction& collective,
                                bool gathers) {
  int64_t dim = collective_dim(context, collective);
  std::vector<Shape> results = result_shapes(context, collective);
  int64_t shards = group_size(context, collective);
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape& operand = context.operand_shape(collective, i);
    Shape expected = operand;
    if (operand.rank() > dim && operand.dims[dim] != kUnboundedDim) {
      bool fits_rank = results[i].is_array() && results[i].rank() == operand.rank();
      context.require(fits_rank, collective, "a result has another rank than its operand");
      int64_t shard = gathers ? operand.dims[dim] : results[i].dims[dim];
      int64_t whole = gathers ? results[i].dims[dim] : operand.dims[dim];
      if (shards == 0 && shard > 0)
        shards = whole / shard;  // all operands must agree with the first
      if (shard != kUnboundedDim && whole != kUnboundedDim && shard * shards != whole) {
        context.refuse(collective, "dimension " + std::to_string(dim) + " of size " +
                                       std::to_string(whole) + " is not " + std::to_string(shards) +
                                       " shards of size " + std::to_string(shard));
      }
      expected.dims[dim] = results[i].dims[dim];
    }
    require_element(context, collective, results[i], expected);
  }
}

// all-reduce, collective-broadcast, collective-permute: results are shaped like their operands.
void verify_same_shapes(const VerifyContext& context, const Instruction& collective) {
  std::vector<Shape> results = result_shapes(context, collective);
  for (size_t i = 0; i < results.size(); ++i) {
    require_element(context, collective, results[i], context.operand_shape(collective, i));
  }
}

void verify_all_to_all(const VerifyContext& context, const Instruction& collective) {
  int64_t members = group_size(context, collective);
  if (collective.dimensions().empty()) {
    bool one_each = members == 0 || static_cast<int64_t>(collective.operands.size()) == members;
    context.require(one_each, collective, "it needs one operand for each member of a group");
    for (size_t i = 1; i < collective.operands.size(); ++i) {
      context.require(
          context.fits(context.operand_shape(collective, i), context.operand_shape(collective, 0)),
          collective, "its operands have different shapes");
    }
    return verify_same_shapes(context, collective);
  }
  context.require(collective.operands.size() == 1, collective,
                  "with a dimension it takes one operand");
  int64_t dim = collective_dim(context, collective);
  const Shape& operand = context.operand_shape(collective, 0);
  if (members > 0 && operand.dims[dim] != kUnboundedDim && operand.dims[dim] % members != 0) {
    context.refuse(collective, "dimension " + std::to_string(dim) + " of size " +
                                   std::to_string(operand.dims[dim]) + " does not divide by " +
                                   std::to_string(members));
  }
  verify_same_shapes(context, collective);
}

void verify_permute(const VerifyContext& context, const Instruction& permute) {
  const Attribute* attribute = permute.find(AttributeKey::kSourceTargetPairs);
  const auto* pairs = attribute ? std::get_if<IntLists>(&attribute->value) : nullptr;
  if (!pairs) context.refuse(permute, "it needs source_target_pairs");
  int64_t limit = id_count(
      context, permute.channel_id() ? GroupMode::kCrossPartition : GroupMode::kCrossReplica);
  std::vector<int64_t> sources, targets;
  for (const auto& pair : *pairs) {
    context.require(pair.size() == 2, permute, "a source-target pair does not have two ids");
    for (int64_t id : pair) {
      if (id >= 0 && (limit == 0 || id < limit)) continue;
      context.refuse(permute, "id " + std::to_string(id) + " in its pairs is out of range for " +
                                  std::to_string(limit));
    }
    sources.push_back(pair[0]);
    targets.push_back(pair[1]);
  }
  for (std::vector<int64_t>* ids : {&sources, &targets}) {
    std::sort(ids->begin(), ids->end());
    bool unique = std::adjacent_find(ids->begin(), ids->end()) == ids->end();
    context.require(unique, permute, "a source or a target occurs twice in its pairs");
  }
  if (!permute.has(AttributeKey::kSliceSizes)) verify_same_shapes(context, permute);
}

void verify_reducer(const VerifyContext& context, const Instruction& collective) {
  ComputationId reducer = context.called(collective, AttributeKey::kToApply);
  context.require(context.module.computations[reducer].parameters.size() == 2, collective,
                  "its reducer does not take two values");
}

}  // namespace

void verify_collective(const VerifyContext& context, const Instruction& instruction) {
  Opcode opcode = collective_opcode(instruction);
  if (!is_collective(opcode)) return;
  if (instruction.opcode == Opcode::kAsyncUpdate || instruction.opcode == Opcode::kAsyncDone)
    return;
  if (opcode == Opcode::kCollectivePermute) return verify_permute(context, instruction);
  verify_groups(context, instruction);
  switch (opcode) {
    case Opcode::kAllGather:
      return verify_sharding_collective(context, instruction, true);
    case Opcode::kReduceScatter:
      verify_reducer(context, instruction);
      return verify_sharding_collective(context, instruction, false);
    case Opcode::kAllReduce:
      verify_reducer(context, instruction);
      return verify_same_shapes(context, instruction);
    case Opcode::kAllToAll:
      return verify_all_to_all(context, instruction);
    case Opcode::kCollectiveBroadcast:
      if (instruction.bool_attribute(AttributeKey::kHasDynamicRoot, false)) return;
      return verify_same_shapes(context, instruction);
    case Opcode::kRaggedAllToAll:
      return context.require_result(instruction, context.operand_shape(instruction, 1));
    default:
      return;
  }
}

}  // namespace flipsat::hlo
