#include "extract/grouping.h"

#include <algorithm>
#include <numeric>

namespace flipsat::extract {
namespace {

using hlo::AttributeKey;
using hlo::Opcode;

constexpr int64_t kSmallestGroup = 2;

const hlo::ReplicaGroups* written_groups(const hlo::Instruction& instruction) {
  const hlo::Attribute* attribute = instruction.find(AttributeKey::kReplicaGroups);
  if (!attribute) return nullptr;
  const auto* groups = std::get_if<hlo::ReplicaGroupsRef>(&attribute->value);
  return groups ? groups->get() : nullptr;
}

std::vector<std::vector<int64_t>> one_group(int64_t devices) {
  std::vector<int64_t> group(static_cast<size_t>(devices));
  std::iota(group.begin(), group.end(), 0);
  return {std::move(group)};
}

// Shards that a gather joins or a scatter makes, by its bytes; 0 for other opcodes.
int64_t shards(const hlo::Module& module, const Collective& collective) {
  const bool is_scatter = collective.opcode == Opcode::kReduceScatter;
  const hlo::Instruction& description = *collective.description;
  if (collective.opcode != Opcode::kAllGather && !is_scatter) return 0;
  if (description.operands.empty()) return 0;
  const hlo::Shape& operand = module[description.operands[0]].shape;
  const hlo::Shape* result = &description.shape;
  while (result->is_tuple() && !result->parts->empty()) result = &result->parts->back();
  int64_t whole = result->byte_size();
  int64_t part = operand.byte_size();
  if (is_scatter) std::swap(whole, part);
  return part > 0 && whole % part == 0 ? whole / part : 0;
}

std::vector<std::vector<int64_t>> permute_pairs(const hlo::Instruction& permute,
                                                const hlo::DeviceCounts& counts) {
  std::vector<std::vector<int64_t>> groups;
  if (auto pairs = hlo::device_pairs(permute, counts)) {
    for (const auto& [source, target] : *pairs) groups.push_back({source, target});
    return groups;
  }
  const hlo::Attribute* attribute = permute.find(AttributeKey::kSourceTargetPairs);
  const auto* written = attribute ? std::get_if<hlo::IntLists>(&attribute->value) : nullptr;
  if (written) groups = *written;
  return groups;
}

// Pairs that stay on their device move nothing over a wire.
std::vector<std::vector<int64_t>> without_stays(std::vector<std::vector<int64_t>> pairs) {
  std::erase_if(pairs, [](const std::vector<int64_t>& pair) {
    return pair.size() != 2 || pair[0] == pair[1] || std::min(pair[0], pair[1]) < 0;
  });
  return pairs;
}

std::string form_of(const Grouping& grouping) {
  if (grouping.is_pairs) return std::to_string(grouping.groups.size()) + " pairs";
  std::map<size_t, int64_t> count_by_size;
  for (const auto& group : grouping.groups) ++count_by_size[group.size()];
  std::string form;
  for (const auto& [size, count] : count_by_size) {
    if (!form.empty()) form += '+';
    form += std::to_string(count) + "x" + std::to_string(size);
  }
  return form;
}

// a, b, ..., z, aa, ab, ...
std::string letters(size_t number) {
  std::string text(1, static_cast<char>('a' + number % 26));
  return number < 26 ? text : letters(number / 26 - 1) + text;
}

}  // namespace

size_t GroupingTable::intern(Grouping grouping) {
  auto [known, is_new] = by_groups_.try_emplace({grouping.is_pairs, grouping.groups}, size());
  if (!is_new) return known->second;
  hlo::DeviceGroups spanned;
  spanned.groups = grouping.is_pairs ? without_stays(grouping.groups) : grouping.groups;
  for (const auto& group : spanned.groups) {
    grouping.largest = std::max(grouping.largest, static_cast<int64_t>(group.size()));
  }
  // Tells a torus how many devices there are, which pairs alone may not.
  if (grouping.is_pairs && counts_.known) spanned.groups.push_back({counts_.devices() - 1});
  grouping.spans = group_spans(machine_, spanned);
  groupings_.push_back(std::move(grouping));
  return known->second;
}

size_t GroupingTable::add(const hlo::Module& module, const Collective& collective) {
  const hlo::Instruction& description = *collective.description;
  Grouping grouping;
  if (description.has(AttributeKey::kSourceTargetPairs)) {
    grouping.is_pairs = true;
    grouping.groups = permute_pairs(description, counts_);
    return intern(std::move(grouping));
  }
  const hlo::ReplicaGroups* written = written_groups(description);
  const std::optional<hlo::GroupMode> mode = hlo::group_mode(description);
  const bool is_written = written && !written->empty();
  const std::pair<const hlo::ReplicaGroups*, int> key = {written,
                                                         mode ? static_cast<int>(*mode) : -1};
  if (is_written) {
    if (auto seen = seen_.find(key); seen != seen_.end()) return seen->second;
  }
  if (hlo::DeviceGroupsRef known = hlo::device_groups(description, counts_)) {
    grouping.groups = known->groups;
  } else if (is_written) {
    grouping.groups = *written;
  } else if (int64_t count = shards(module, collective); count > 0) {
    grouping.groups = one_group(count);
  } else {
    grouping.groups = one_group(std::max(counts_.known ? counts_.devices() : 0, kSmallestGroup));
  }
  const size_t number = intern(std::move(grouping));
  if (is_written) seen_.emplace(key, number);
  return number;
}

std::vector<std::string> GroupingTable::names(size_t settled) const {
  std::map<std::string, std::vector<size_t>> by_form;
  for (size_t i = 0; i < size(); ++i) by_form[form_of(groupings_[i])].push_back(i);
  std::vector<std::string> names(size());
  for (auto& [form, numbers] : by_form) {
    std::sort(numbers.begin(), numbers.end(), [&](size_t a, size_t b) {
      const bool a_is_new = a >= settled;
      const bool b_is_new = b >= settled;
      if (a_is_new != b_is_new) return b_is_new;
      return groupings_[a].groups < groupings_[b].groups;
    });
    for (size_t i = 0; i < numbers.size(); ++i) {
      std::string& name = names[numbers[i]];
      name = form;
      if (numbers.size() == 1) continue;
      if (groupings_[numbers[i]].is_pairs) name += ' ';  // "8 pairs b", but "2x4b"
      name += letters(i);
    }
  }
  return names;
}

}  // namespace flipsat::extract
