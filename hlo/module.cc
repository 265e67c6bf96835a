#include "hlo/module.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace flipsat::hlo {
namespace {

const IntList kNoInts;
const std::vector<InstructionId> kNoInstructions;

}  // namespace

const Attribute* Instruction::find(AttributeKey key) const {
  for (const Attribute& attribute : attributes) {
    if (attribute.key == key) return &attribute;
  }
  return nullptr;
}

int64_t Instruction::int_attribute(AttributeKey key, int64_t absent) const {
  const Attribute* attribute = find(key);
  const int64_t* value = attribute ? std::get_if<int64_t>(&attribute->value) : nullptr;
  return value ? *value : absent;
}

bool Instruction::bool_attribute(AttributeKey key, bool absent) const {
  const Attribute* attribute = find(key);
  const bool* value = attribute ? std::get_if<bool>(&attribute->value) : nullptr;
  return value ? *value : absent;
}

const IntList& Instruction::ints(AttributeKey key) const {
  const Attribute* attribute = find(key);
  const IntList* value = attribute ? std::get_if<IntList>(&attribute->value) : nullptr;
  return value ? *value : kNoInts;
}

std::string_view Instruction::word(AttributeKey key) const {
  const Attribute* attribute = find(key);
  const std::string* value = attribute ? std::get_if<std::string>(&attribute->value) : nullptr;
  return value ? std::string_view(*value) : std::string_view();
}

std::string_view Instruction::raw_text(AttributeKey key) const {
  const Attribute* attribute = find(key);
  return attribute ? attribute->text : std::string_view();
}

std::optional<int64_t> Instruction::channel_id() const {
  const Attribute* attribute = find(AttributeKey::kChannelId);
  const int64_t* value = attribute ? std::get_if<int64_t>(&attribute->value) : nullptr;
  if (!value) return std::nullopt;
  return *value;
}

const std::vector<InstructionId>& Instruction::control_predecessors() const {
  const Attribute* attribute = find(AttributeKey::kControlPredecessors);
  const auto* value = attribute ? std::get_if<InstructionList>(&attribute->value) : nullptr;
  return value ? value->ids : kNoInstructions;
}

ComputationList Instruction::called_computations() const {
  ComputationList called;
  for (const Attribute& attribute : attributes) {
    if (const auto* list = std::get_if<ComputationList>(&attribute.value)) {
      called.insert(called.end(), list->begin(), list->end());
    }
  }
  return called;
}

void Instruction::set(AttributeKey key, AttributeValue value) {
  touched = true;
  for (Attribute& attribute : attributes) {
    if (attribute.key != key) continue;
    attribute.value = std::move(value);
    attribute.text = {};
    return;
  }
  attributes.push_back({key, {}, std::move(value), {}});
}

void Instruction::erase(AttributeKey key) {
  touched = true;
  std::erase_if(attributes, [&](const Attribute& attribute) { return attribute.key == key; });
}

std::string_view Module::source_text(SourceSpan span) const {
  if (!source) return {};
  return std::string_view(*source).substr(span.begin, span.end - span.begin);
}

size_t Module::live_instruction_count() const {
  size_t count = 0;
  for (ComputationId id : order) count += computations[id].instructions.size();
  return count;
}

std::vector<std::vector<InstructionId>> users_of(const Module& module) {
  std::vector<std::vector<InstructionId>> users(module.instructions.size());
  for (ComputationId computation : module.order) {
    for (InstructionId id : module.computations[computation].instructions) {
      for (InstructionId operand : module[id].operands) {
        if (users[operand].empty() || users[operand].back() != id) users[operand].push_back(id);
      }
    }
  }
  return users;
}

std::vector<bool> live_instructions(const Module& module) {
  std::vector<bool> live(module.instructions.size(), false);
  for (ComputationId computation : module.order) {
    for (InstructionId id : module.computations[computation].instructions) live[id] = true;
  }
  return live;
}

namespace {

// `seen`: computations that were looked into, so that nested calls cost each of them once.
bool has_side_effect(const Module& module, const Instruction& instruction,
                     std::unordered_set<ComputationId>& seen) {
  switch (instruction.opcode) {
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kDomain:
    case Opcode::kAllGatherStart:
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return true;
    case Opcode::kCustomCall:
      return instruction.bool_attribute(AttributeKey::kCustomCallHasSideEffect, false);
    default:
      break;
  }
  if (instruction.bool_attribute(AttributeKey::kConstrainLayout, false)) return true;
  for (ComputationId called : instruction.called_computations()) {
    if (!seen.insert(called).second) continue;
    for (InstructionId id : module.computations[called].instructions) {
      if (has_side_effect(module, module[id], seen)) return true;
    }
  }
  return false;
}

}  // namespace

bool has_side_effect(const Module& module, const Instruction& instruction) {
  std::unordered_set<ComputationId> seen;
  return has_side_effect(module, instruction, seen);
}

struct NameTable::Impl {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int64_t> next_number;
};

NameTable::NameTable(const Module& module) : impl_(std::make_shared<Impl>()) {
  auto see = [&](const std::string& name) {
    impl_->taken.insert(name);
    size_t dot = name.rfind('.');
    if (dot == std::string::npos) return;
    int64_t number = 0;
    auto [end, error] = std::from_chars(name.data() + dot + 1, name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size() || number >= INT32_MAX) return;
    int64_t& next = impl_->next_number[name.substr(0, dot)];
    next = std::max(next, number + 1);
  };
  for (const Instruction& instruction : module.instructions) see(instruction.name);
  for (const Computation& computation : module.computations) see(computation.name);
}

std::string NameTable::fresh(std::string_view stem) {
  int64_t& next = impl_->next_number[std::string(stem)];
  next = std::max<int64_t>(next, 1);
  while (true) {
    std::string name = std::string(stem) + "." + std::to_string(next++);
    if (impl_->taken.insert(name).second) return name;
  }
}

int64_t next_channel_id(const Module& module) {
  int64_t largest = 0;
  for (const Instruction& instruction : module.instructions) {
    largest = std::max(largest, instruction.channel_id().value_or(0));
  }
  return largest + 1;
}

}  // namespace flipsat::hlo
