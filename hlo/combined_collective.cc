#include "hlo/combined_collective.h"

#include <algorithm>

#include "hlo/common_attributes.h"
#include "hlo/frontend_attributes.h"
#include "hlo/metadata.h"
#include "hlo/numerics.h"
#include "hlo/reducer.h"

namespace flipsat::hlo {
namespace {

// What is said of a value and not of the operation.
constexpr AttributeKey kOfTheValue[] = {AttributeKey::kSharding, AttributeKey::kOrigin,
                                        AttributeKey::kStatistics, AttributeKey::kMetadata};

bool is_of_the_value(AttributeKey key) {
  return std::find(std::begin(kOfTheValue), std::end(kOfTheValue), key) != std::end(kOfTheValue);
}

void set_raw(Instruction& instruction, AttributeKey key, std::string text) {
  if (text.empty()) return;
  set_common_attribute(instruction, {key, {}, std::move(text), {}});
}

// Entries that all have; a combiner would join different values, which no reader of them expects.
std::string common_frontend_attributes(const Module& module,
                                       const std::vector<InstructionId>& members) {
  std::vector<std::string_view> common = frontend_attribute_entries(module[members.front()]);
  for (InstructionId member : members) {
    const std::vector<std::string_view> entries = frontend_attribute_entries(module[member]);
    std::erase_if(common, [&](std::string_view entry) {
      return std::find(entries.begin(), entries.end(), entry) == entries.end();
    });
  }
  std::string text;
  for (std::string_view entry : common) {
    text += text.empty() ? "{" : ",";
    text += entry;
  }
  return text.empty() ? text : text + '}';
}

std::string_view spelling(const Instruction& instruction, AttributeKey key) {
  const Attribute* attribute = instruction.find(key);
  if (!attribute) return {};
  if (!attribute->text.empty()) return attribute->text;
  const auto* made = std::get_if<std::string>(&attribute->value);
  return made ? std::string_view(*made) : std::string_view();
}

}  // namespace

bool can_be_combined(const Module& module, const Instruction& collective) {
  for (const Attribute& attribute : collective.attributes) {
    switch (attribute.key) {
      case AttributeKey::kDimensions:
      case AttributeKey::kChannelId:
      case AttributeKey::kReplicaGroups:
      case AttributeKey::kUseGlobalDeviceIds:
      case AttributeKey::kToApply:
      case AttributeKey::kSourceTargetPairs:
      case AttributeKey::kFrontendAttributes:
      case AttributeKey::kBackendConfig:
        continue;
      case AttributeKey::kConstrainLayout:
        if (!collective.bool_attribute(AttributeKey::kConstrainLayout, true)) continue;
        return false;
      default:
        if (!is_of_the_value(attribute.key)) return false;
    }
  }
  for (ComputationId called : collective.called_computations()) {
    const std::optional<Reducer> reducer = recognise_reducer(module, called);
    if (!reducer || !convert_preserves_values(collective.shape.type, reducer->type)) return false;
  }
  return collective.operands.size() == 1 && collective.shape.is_array() &&
         collective.shape.is_static();
}

std::string combined_form(const Module& module, const Instruction& collective) {
  std::string form;
  for (int64_t dim : collective.dimensions()) form += std::to_string(dim) + ',';
  for (ComputationId reducer : collective.called_computations()) {
    const std::optional<Reducer> known = recognise_reducer(module, reducer);
    form += std::to_string(static_cast<int>(known->kind)) + ' ';
    form += to_string(known->type);
  }
  // The verifier of XLA takes no types of two kinds in one.
  if (collective.opcode == Opcode::kReduceScatter) form += to_string(collective.shape.type);
  form += ' ';
  form += spelling(collective, AttributeKey::kBackendConfig);
  form += ' ';
  form += frontend_attribute(collective, "_scheduling_group_id").value_or("");
  return form;
}

Instruction combined_collective(const Module& module, const std::vector<InstructionId>& members) {
  const Instruction& first = module[members.front()];
  Instruction combined;
  combined.opcode = first.opcode;
  combined.computation = first.computation;
  std::vector<Shape> shapes;
  std::vector<std::string_view> metadata;
  for (InstructionId member : members) {
    combined.operands.push_back(module[member].operands.front());
    shapes.push_back(module[member].shape);
    metadata.push_back(spelling(module[member], AttributeKey::kMetadata));
  }
  combined.shape = Shape::tuple(std::move(shapes));
  for (const Attribute& attribute : first.attributes) {
    if (is_of_the_value(attribute.key)) continue;
    if (attribute.key == AttributeKey::kFrontendAttributes) continue;
    combined.attributes.push_back(attribute);
  }
  set_raw(combined, AttributeKey::kFrontendAttributes, common_frontend_attributes(module, members));
  set_raw(combined, AttributeKey::kMetadata, common_metadata(metadata));
  return combined;
}

Instruction combined_element(const Instruction& member, InstructionId combined, int64_t index) {
  Instruction element;
  element.opcode = Opcode::kGetTupleElement;
  element.computation = member.computation;
  element.shape = member.shape;
  element.operands = {combined};
  element.set(AttributeKey::kIndex, index);
  for (AttributeKey key : kOfTheValue) {
    if (const Attribute* attribute = member.find(key)) set_common_attribute(element, *attribute);
  }
  return element;
}

}  // namespace flipsat::hlo
