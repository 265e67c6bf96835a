#include "verify/same_operation.h"

#include <algorithm>
#include <unordered_map>

#include "hlo/reducer.h"

namespace flipsat::verify {

using hlo::Attribute;
using hlo::AttributeKey;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

bool is_opaque(Opcode opcode) {
  return opcode == Opcode::kCustomCall || opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed ||
         opcode == Opcode::kSend || opcode == Opcode::kRecv || opcode == Opcode::kAsyncStart;
}

bool acts(const hlo::Module& module, ComputationId computation, const std::vector<bool>& acting) {
  const auto& instructions = module.computations[computation].instructions;
  return std::ranges::any_of(instructions, [&](InstructionId id) { return acting[id]; });
}

bool is_default(const Attribute& attribute) {
  const bool* flag = std::get_if<bool>(&attribute.value);
  return flag && !*flag;
}

// Values as read, or text where that is all there is.
bool same_value(const Attribute& a, const Attribute& b) {
  if (const auto* groups = std::get_if<hlo::ReplicaGroupsRef>(&a.value)) {
    const auto* others = std::get_if<hlo::ReplicaGroupsRef>(&b.value);
    return others && (*groups == *others || (*groups && *others && **groups == **others));
  }
  bool spelled = std::holds_alternative<std::monostate>(a.value);
  if (spelled != std::holds_alternative<std::monostate>(b.value)) return false;
  return spelled ? a.text == b.text : a.value == b.value;
}

}  // namespace

bool is_remark(const Instruction& instruction, AttributeKey key) {
  switch (key) {
    case AttributeKey::kMetadata:
    case AttributeKey::kSharding:
    case AttributeKey::kOrigin:
    case AttributeKey::kStatistics:
    case AttributeKey::kControlPredecessors:
    case AttributeKey::kParameterReplication:
    case AttributeKey::kInferredDimension:
      return true;
    case AttributeKey::kFrontendAttributes:
    case AttributeKey::kBackendConfig:
      return !is_opaque(instruction.opcode);
    default:
      return false;
  }
}

void OperationComparer::take_as_same(ComputationId before, ComputationId after, bool same) {
  computations_[{before, after}] = same;
}

bool OperationComparer::same_lines(const hlo::Computation& before, const hlo::Computation& after) {
  if (before.instructions.size() != after.instructions.size()) return false;
  std::unordered_map<InstructionId, InstructionId> pair;
  for (size_t i = 0; i < before.instructions.size(); ++i) {
    InstructionId b = before.instructions[i], a = after.instructions[i];
    if (!same_operation(b, a) || before_[b].operands.size() != after_[a].operands.size())
      return false;
    for (size_t k = 0; k < before_[b].operands.size(); ++k) {
      auto found = pair.find(before_[b].operands[k]);
      if (found == pair.end() || found->second != after_[a].operands[k]) return false;
    }
    pair[b] = a;
  }
  auto root = pair.find(before.root);
  return root != pair.end() && root->second == after.root;
}

bool OperationComparer::same_computation(ComputationId before, ComputationId after) {
  auto found = computations_.find({before, after});
  if (found != computations_.end()) return found->second;
  bool same = same_lines(before_.computations[before], after_.computations[after]);
  // Other lines may compute the same, but what acts is compared line by line.
  if (!same && !acts(before_, before, acts_before_) && !acts(after_, after, acts_after_)) {
    auto left = hlo::recognise_reducer(before_, before);
    auto right = hlo::recognise_reducer(after_, after);
    same = left || right ? left == right
                         : hlo::computation_fingerprint(before_, before) ==
                               hlo::computation_fingerprint(after_, after);
  }
  computations_[{before, after}] = same;
  return same;
}

bool OperationComparer::same_attribute(const Attribute& before, const Attribute& after) {
  if (before.key == AttributeKey::kChannelId) return true;  // it is there, whatever its number
  const auto* left = std::get_if<hlo::ComputationList>(&before.value);
  const auto* right = std::get_if<hlo::ComputationList>(&after.value);
  if (!left || !right) return same_value(before, after);
  if (left->size() != right->size()) return false;
  for (size_t i = 0; i < left->size(); ++i) {
    if (!same_computation((*left)[i], (*right)[i])) return false;
  }
  return true;
}

namespace {

bool is_transfer(Opcode opcode) {
  return opcode == Opcode::kSend || opcode == Opcode::kSendDone || opcode == Opcode::kRecv ||
         opcode == Opcode::kRecvDone;
}

}  // namespace

bool OperationComparer::same_operation(InstructionId before, InstructionId after) {
  const Instruction& b = before_[before];
  const Instruction& a = after_[after];
  if (b.opcode != a.opcode || b.wrapped != a.wrapped) return false;
  bool same_text = before_.source && before_.source == after_.source && !b.touched && !a.touched &&
                   !b.text.empty() && b.text.begin == a.text.begin;
  if (!same_text && !b.shape.same_value_shape(a.shape)) return false;
  if (b.opcode == Opcode::kParameter) return b.parameter_number == a.parameter_number;
  // Of a transfer the channel says which one it is.
  if (is_transfer(b.opcode) && b.channel_id() != a.channel_id()) return false;
  if (b.opcode == Opcode::kConstant) {
    if (b.literal == a.literal) return true;
    if (!b.literal || !a.literal) return false;
    if (b.literal->elided && a.literal->elided) return b.name == a.name;
    return *b.literal == *a.literal;
  }
  // A bitcast depends on where its operand lies.
  if (b.opcode == Opcode::kBitcast && !same_text && !(b.shape == a.shape)) return false;
  if (same_text) {
    hlo::ComputationList left = b.called_computations(), right = a.called_computations();
    for (size_t i = 0; i < left.size(); ++i) {
      if (i >= right.size() || !same_computation(left[i], right[i])) return false;
    }
    return left.size() == right.size();
  }
  size_t counted = 0;
  for (const Attribute& attribute : a.attributes) {
    if (is_remark(a, attribute.key) || is_default(attribute)) continue;
    const Attribute* other = nullptr;
    for (const Attribute& candidate : b.attributes) {
      if (candidate.key == attribute.key && candidate.name == attribute.name) other = &candidate;
    }
    if (!other || !same_attribute(*other, attribute)) return false;
    ++counted;
  }
  for (const Attribute& attribute : b.attributes) {
    if (!is_remark(b, attribute.key) && !is_default(attribute)) --counted;
  }
  return counted == 0;
}

}  // namespace flipsat::verify
