#include "language/collective.h"

#include <cassert>
#include <stdexcept>

namespace flipsat::language {
namespace {

// What the ids in replica groups count follows from these.
int mode_number(bool is_exchange, bool has_channel, bool use_global) {
  return is_exchange * 4 + has_channel * 2 + use_global;
}

std::string serialise(const Collective& collective) {
  std::string key = std::to_string(mode_number(collective.is_exchange, collective.has_channel,
                                               collective.use_global_device_ids));
  if (collective.reducer) {
    key += 'r' + std::to_string(static_cast<int>(collective.reducer->kind)) + ':' +
           std::to_string(static_cast<int>(collective.reducer->type));
  }
  if (collective.pairs) {
    for (const auto& [source, target] : *collective.pairs) {
      key += std::to_string(source) + '>' + std::to_string(target) + ',';
    }
  }
  if (collective.groups) {
    for (const auto& group : collective.groups->groups) {
      key += '{';
      for (int64_t member : group) key += std::to_string(member) + ',';
    }
  }
  return key + '}' + collective.steering;
}

// An instruction of the given mode, as far as spell_groups looks at one.
hlo::Instruction example_of_mode(bool is_exchange, bool has_channel, bool use_global) {
  hlo::Instruction example;
  example.opcode = is_exchange ? hlo::Opcode::kAllToAll : hlo::Opcode::kAllGather;
  if (has_channel) example.set(hlo::AttributeKey::kChannelId, int64_t{1});
  if (use_global) example.set(hlo::AttributeKey::kUseGlobalDeviceIds, true);
  return example;
}

}  // namespace

CollectiveIndex CollectiveTable::intern(Collective collective) {
  auto [it, is_new] =
      index_.try_emplace(serialise(collective), static_cast<CollectiveIndex>(collectives_.size()));
  if (is_new) collectives_.push_back(std::move(collective));
  return it->second;
}

void CollectiveTable::remember_spelling(const hlo::Instruction& instruction,
                                        const hlo::DeviceGroups& groups, Members members) {
  const hlo::Attribute* attribute = instruction.find(hlo::AttributeKey::kReplicaGroups);
  if (!attribute) return;
  int mode = mode_number(instruction.opcode == hlo::Opcode::kAllToAll,
                         instruction.channel_id().has_value(),
                         instruction.bool_attribute(hlo::AttributeKey::kUseGlobalDeviceIds, false));
  spellings_.try_emplace({groups.groups, mode, members}, *attribute);
}

std::optional<CollectiveIndex> CollectiveTable::with_groups(CollectiveIndex index,
                                                            const hlo::DeviceGroups& groups) {
  if (*collectives_[index].groups == groups) return index;
  return regrouped(collectives_[index], groups);
}

std::optional<CollectiveIndex> CollectiveTable::as_gather(CollectiveIndex index,
                                                          const hlo::DeviceGroups& groups) {
  return as_other(index, groups, false);
}

std::optional<CollectiveIndex> CollectiveTable::as_all_to_all(CollectiveIndex index,
                                                              const hlo::DeviceGroups& groups) {
  return as_other(index, groups, true);
}

std::optional<CollectiveIndex> CollectiveTable::as_other(CollectiveIndex index,
                                                         const hlo::DeviceGroups& groups,
                                                         bool is_exchange) {
  Collective changed = collectives_[index];
  if (!changed.steering.empty()) return std::nullopt;
  changed.is_exchange = is_exchange;
  changed.reducer.reset();
  changed.pairs = nullptr;
  return regrouped(std::move(changed), groups);
}

std::optional<CollectiveIndex> CollectiveTable::as_permute(CollectiveIndex index,
                                                           const hlo::DevicePairs& pairs) {
  Collective changed = collectives_[index];
  if (!changed.pairs && !changed.steering.empty()) return std::nullopt;
  if (!hlo::spell_pairs(pairs, changed.has_channel, counts_)) return std::nullopt;
  changed.is_exchange = true;
  changed.use_global_device_ids = false;
  changed.reducer.reset();
  changed.groups = nullptr;
  changed.pairs = std::make_shared<const hlo::DevicePairs>(pairs);
  return intern(std::move(changed));
}

std::optional<CollectiveIndex> CollectiveTable::regrouped(Collective changed,
                                                          const hlo::DeviceGroups& groups) {
  // Only flattened ids can say any grouping.
  const bool may_be_global = changed.has_channel && !changed.is_exchange;
  hlo::Instruction example =
      example_of_mode(changed.is_exchange, changed.has_channel, may_be_global);
  std::optional<hlo::GroupSpelling> spelling = hlo::spell_groups(groups, example, counts_);
  if (!spelling) return std::nullopt;
  changed.use_global_device_ids = spelling->use_global_device_ids;
  changed.groups = std::make_shared<const hlo::DeviceGroups>(groups);
  return intern(std::move(changed));
}

CollectiveIndex CollectiveTable::with_reducer(CollectiveIndex index,
                                              std::optional<hlo::Reducer> reducer) {
  Collective changed = collectives_[index];
  changed.reducer = reducer;
  return intern(std::move(changed));
}

hlo::Attribute CollectiveTable::spelling(const Collective& collective, Members members) const {
  int mode =
      mode_number(collective.is_exchange, collective.has_channel, collective.use_global_device_ids);
  auto it = spellings_.find({collective.groups->groups, mode, members});
  if (it == spellings_.end()) {
    it = spellings_.find({collective.groups->groups, mode, Members::kOrdered});
  }
  if (it != spellings_.end()) return it->second;
  std::optional<hlo::GroupSpelling> spelled =
      hlo::spell_groups(*collective.groups,
                        example_of_mode(collective.is_exchange, collective.has_channel,
                                        collective.use_global_device_ids),
                        counts_);
  if (!spelled) throw std::logic_error("a collective's groups cannot be written in its mode");
  hlo::Attribute attribute;
  attribute.key = hlo::AttributeKey::kReplicaGroups;
  attribute.value = std::make_shared<const hlo::ReplicaGroups>(std::move(spelled->replica_groups));
  return attribute;
}

hlo::Attribute CollectiveTable::spelling_of_pairs(const Collective& permute) const {
  std::optional<hlo::IntLists> pairs =
      hlo::spell_pairs(*permute.pairs, permute.has_channel, counts_);
  if (!pairs) throw std::logic_error("a permute's pairs cannot be written in its mode");
  hlo::Attribute attribute;
  attribute.key = hlo::AttributeKey::kSourceTargetPairs;
  attribute.value = std::move(*pairs);
  return attribute;
}

}  // namespace flipsat::language
