#include "verify/pairing.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "verify/same_operation.h"
#include "verify/term.h"

namespace flipsat::verify {

using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::kNoId;
using hlo::Module;

namespace {

uint64_t hash_ints(uint64_t hash, const std::vector<int64_t>& values) {
  for (int64_t value : values) hash = combine(hash, static_cast<uint64_t>(value));
  return combine(hash, values.size());
}

uint64_t hash_shape(const hlo::Shape& shape) {
  uint64_t hash = static_cast<uint64_t>(shape.type);
  for (int64_t dim : shape.dims) hash = combine(hash, static_cast<uint64_t>(dim));
  if (shape.parts) {
    for (const hlo::Shape& part : *shape.parts) hash = combine(hash, hash_shape(part));
  }
  return hash;
}

// Opcode, shape and the attributes that are cheap to compare.
uint64_t hash_operation(const Instruction& in) {
  uint64_t hash = combine(static_cast<uint64_t>(in.opcode), hash_shape(in.shape));
  hash = combine(hash, static_cast<uint64_t>(in.parameter_number));
  if (in.literal) {
    for (uint8_t byte : in.literal->bytes) hash = combine(hash, byte);
  }
  for (const hlo::Attribute& attribute : in.attributes) {
    if (is_remark(in, attribute.key) || attribute.key == hlo::AttributeKey::kChannelId) continue;
    uint64_t part = static_cast<uint64_t>(attribute.key);
    if (const auto* number = std::get_if<int64_t>(&attribute.value)) {
      part = combine(part, static_cast<uint64_t>(*number));
    } else if (const auto* list = std::get_if<hlo::IntList>(&attribute.value)) {
      part = hash_ints(part, *list);
    } else if (const auto* lists = std::get_if<hlo::IntLists>(&attribute.value)) {
      for (const auto& entry : *lists) part = hash_ints(part, entry);
    } else if (const auto* groups = std::get_if<hlo::ReplicaGroupsRef>(&attribute.value)) {
      if (*groups) {
        for (const auto& entry : **groups) part = hash_ints(part, entry);
      }
    } else if (const auto* slice = std::get_if<hlo::SliceDims>(&attribute.value)) {
      for (const auto& dim : *slice) part = hash_ints(part, {dim.start, dim.limit, dim.stride});
    } else if (const auto* word = std::get_if<std::string>(&attribute.value)) {
      for (char c : *word) part = combine(part, static_cast<uint64_t>(c));
    } else {
      continue;
    }
    hash += mix(part);  // in any order
  }
  return hash;
}

}  // namespace

Pairing::Pairing(const Module& before, const Module& after)
    : before_(before),
      after_(after),
      before_of_(after.instructions.size(), kNoId),
      after_of_(before.instructions.size(), kNoId),
      guess_(after.instructions.size(), false),
      before_of_computation_(after.computations.size(), kNoId),
      taken_(before.computations.size(), false) {
  if (before.entry == kNoId || after.entry == kNoId) return;
  pair_computations(before.entry, after.entry);
  std::unordered_map<std::string_view, ComputationId> by_name;
  for (ComputationId id : before.order) by_name.emplace(before.computations[id].name, id);
  for (ComputationId id : after.order) {
    auto found = by_name.find(after.computations[id].name);
    if (found != by_name.end()) pair_computations(found->second, id);
  }
  // From call sites: the list grows while it is walked.
  for (size_t i = 0; i < waiting_.size(); ++i) {
    auto [b, a] = waiting_[i];
    pair_by_name(b, a);
    pair_by_structure(b, a);
    for (InstructionId id : after_.computations[a].instructions) {
      if (before_of_[id] != kNoId) pair_called(before_of_[id], id);
    }
  }
}

void Pairing::pair_computations(ComputationId before, ComputationId after) {
  if (taken_[before] || before_of_computation_[after] != kNoId) return;
  taken_[before] = true;
  before_of_computation_[after] = before;
  waiting_.push_back({before, after});
}

void Pairing::pair_called(InstructionId before, InstructionId after) {
  hlo::ComputationList left = before_[before].called_computations();
  hlo::ComputationList right = after_[after].called_computations();
  if (left.size() != right.size()) return;
  for (size_t i = 0; i < left.size(); ++i) pair_computations(left[i], right[i]);
}

void Pairing::pair(InstructionId before, InstructionId after, bool guess) {
  before_of_[after] = before;
  after_of_[before] = after;
  guess_[after] = guess;
}

void Pairing::part(InstructionId after) {
  if (before_of_[after] == kNoId) return;
  after_of_[before_of_[after]] = kNoId;
  before_of_[after] = kNoId;
}

void Pairing::pair_by_name(ComputationId before, ComputationId after) {
  const hlo::Computation& b = before_.computations[before];
  const hlo::Computation& a = after_.computations[after];
  for (size_t i = 0; i < std::min(a.parameters.size(), b.parameters.size()); ++i) {
    pair(b.parameters[i], a.parameters[i], false);
  }
  // One module is mostly a copy of the other, in which instructions keep their numbers.
  std::vector<bool> is_listed(before_.instructions.size(), false);
  for (InstructionId id : b.instructions) is_listed[id] = true;
  bool all_found = true;
  for (InstructionId id : a.instructions) {
    if (before_of_[id] != kNoId) continue;
    bool is_copy = id < is_listed.size() && is_listed[id] && after_of_[id] == kNoId &&
                   before_[id].name == after_[id].name &&
                   before_[id].shape.same_value_shape(after_[id].shape);
    if (is_copy) {
      pair(id, id, false);
    } else {
      all_found = false;
    }
  }
  if (all_found) return;
  std::unordered_map<std::string_view, InstructionId> by_name;
  for (InstructionId id : b.instructions) {
    if (after_of_[id] == kNoId) by_name.emplace(before_[id].name, id);
  }
  for (InstructionId id : a.instructions) {
    if (before_of_[id] != kNoId) continue;
    auto found = by_name.find(after_[id].name);
    if (found == by_name.end() || after_of_[found->second] != kNoId) continue;
    // One name for two different things is no pair.
    if (!before_[found->second].shape.same_value_shape(after_[id].shape)) continue;
    pair(found->second, id, false);
  }
}

void Pairing::pair_by_structure(ComputationId before, ComputationId after) {
  const hlo::Computation& b = before_.computations[before];
  const hlo::Computation& a = after_.computations[after];
  auto is_free = [](InstructionId id, const std::vector<InstructionId>& other) {
    return other[id] == kNoId;
  };
  bool left_over = std::any_of(b.instructions.begin(), b.instructions.end(),
                               [&](InstructionId id) { return is_free(id, after_of_); }) &&
                   std::any_of(a.instructions.begin(), a.instructions.end(),
                               [&](InstructionId id) { return is_free(id, before_of_); });
  if (!left_over) return;

  // Downwards: a paired operand counts as the number of its pair.
  std::unordered_map<uint64_t, std::vector<InstructionId>> by_hash;
  std::unordered_map<InstructionId, uint64_t> hashes;
  auto hash_of = [&](const Module& module, InstructionId id, bool is_before) {
    uint64_t hash = hash_operation(module[id]);
    for (InstructionId operand : module[id].operands) {
      InstructionId as_after = is_before                      ? after_of_[operand]
                               : before_of_[operand] == kNoId ? kNoId
                                                              : operand;
      hash = combine(hash, as_after != kNoId ? mix(as_after) : hashes[operand]);
    }
    return hash;
  };
  for (InstructionId id : b.instructions) {
    if (!is_free(id, after_of_)) continue;
    hashes[id] = hash_of(before_, id, true);
    by_hash[hashes[id]].push_back(id);
  }
  for (auto& [hash, ids] : by_hash) std::reverse(ids.begin(), ids.end());
  hashes.clear();
  std::vector<std::pair<InstructionId, InstructionId>> found;
  for (InstructionId id : a.instructions) {
    if (!is_free(id, before_of_)) continue;
    hashes[id] = hash_of(after_, id, false);
    auto candidates = by_hash.find(hashes[id]);
    if (candidates == by_hash.end() || candidates->second.empty()) continue;
    found.push_back({candidates->second.back(), id});
    candidates->second.pop_back();
  }
  for (auto [left, right] : found) pair(left, right, true);

  // Upwards from the root.
  auto try_pair = [&](InstructionId left, InstructionId right) {
    if (!is_free(left, after_of_) || !is_free(right, before_of_)) return;
    if (before_[left].opcode != after_[right].opcode) return;
    if (!before_[left].shape.same_value_shape(after_[right].shape)) return;
    pair(left, right, true);
  };
  try_pair(b.root, a.root);
  for (auto id = a.instructions.rbegin(); id != a.instructions.rend(); ++id) {
    InstructionId left = before_of_[*id];
    if (left == kNoId) continue;
    const auto& left_operands = before_[left].operands;
    const auto& right_operands = after_[*id].operands;
    if (before_[left].opcode != after_[*id].opcode || left_operands.size() != right_operands.size())
      continue;
    for (size_t i = 0; i < left_operands.size(); ++i) try_pair(left_operands[i], right_operands[i]);
  }
}

}  // namespace flipsat::verify
