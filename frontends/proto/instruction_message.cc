#include "frontends/proto/instruction_message.h"

#include <stdexcept>

#include "frontends/proto/attribute_table.h"
#include "frontends/proto/instruction_text.h"
#include "frontends/proto/literal_message.h"
#include "frontends/proto/metadata_message.h"
#include "frontends/proto/raw_attributes.h"
#include "frontends/proto/shape_message.h"
#include "frontends/proto/sharding_message.h"
#include "frontends/text/scanner.h"

namespace flipsat::frontends {

using hlo::Attribute;
using hlo::AttributeKey;
using hlo::Opcode;
using hlo_proto::Instruction;

namespace {

// The spelling; for an attribute that was made, what stands for it.
std::string spelled(const Attribute& attribute) {
  if (!attribute.text.empty()) return std::string(attribute.text);
  const auto* made = std::get_if<std::string>(&attribute.value);
  return made ? *made : std::string();
}

std::string unquoted(const std::string& text) {
  return text.starts_with('"') || text.starts_with('\'') ? unescape(text) : text;
}

void set_replication(const std::string& text, Instruction* message) {
  Scanner in(text, "parameter_replication");
  in.expect('{');
  if (in.take('}')) return;
  do message->mutable_parameter_replication()->add_replicated_at_leaf_buffers(in.boolean());
  while (in.take(','));
}

// Attributes that any instruction may have. False where this is none of them.
bool set_common_attribute(const Attribute& attribute, Instruction* message) {
  const std::string text = spelled(attribute);
  if (text.empty()) return false;
  switch (attribute.key) {
    case AttributeKey::kMetadata:
      set_metadata(text, message->mutable_metadata());
      return true;
    case AttributeKey::kFrontendAttributes:
      set_frontend_attributes(text, message->mutable_frontend_attributes());
      return true;
    case AttributeKey::kSharding:
      if (!set_sharding(text, message->mutable_sharding())) message->clear_sharding();
      return true;
    case AttributeKey::kStatistics:
      set_statistics(text, message->mutable_statistics());
      return true;
    case AttributeKey::kParameterReplication:
      set_replication(text, message);
      return true;
    case AttributeKey::kBackendConfig:
      message->set_backend_config(unquoted(text));
      return true;
    default:
      return false;
  }
}

// What XLA takes for granted in text and wants to be told in a message.
void set_defaults(const hlo::Module& module, const hlo::Instruction& instruction, bool is_new,
                  Instruction* message) {
  switch (instruction.opcode) {
    case Opcode::kCompare:
      if (message->comparison_type().empty()) {
        message->set_comparison_type(
            std::string(default_comparison_type(module[instruction.operands[0]].shape.type)));
      }
      break;
    case Opcode::kConvolution:
    case Opcode::kCustomCall:
      if (message->feature_group_count() == 0) message->set_feature_group_count(1);
      if (message->batch_group_count() == 0) message->set_batch_group_count(1);
      if (instruction.opcode == Opcode::kCustomCall &&
          !instruction.has(AttributeKey::kApiVersion)) {
        message->set_custom_call_api_version(Instruction::API_VERSION_ORIGINAL);
      }
      break;
    case Opcode::kOutfeed:
      if (is_new && !message->has_outfeed_shape()) {
        set_shape(module[instruction.operands[0]].shape, message->mutable_outfeed_shape());
      }
      break;
    default:
      break;
  }
}

// Parts of the original that say the same keep what only messages can hold.
void keep_what_text_cannot_say(const Instruction& original, Instruction* message) {
  if (original.opcode() == message->opcode()) {
    message->GetReflection()->MutableUnknownFields(message)->MergeFrom(
        original.GetReflection()->GetUnknownFields(original));
  }
  if (shape_from(original.shape()) == shape_from(message->shape())) {
    *message->mutable_shape() = original.shape();
  }
  if (original.has_literal() && message->has_literal()) {
    *message->mutable_literal() = original.literal();
  }
  if (metadata_text(original.metadata()) == metadata_text(message->metadata()) &&
      original.has_metadata()) {
    *message->mutable_metadata() = original.metadata();
  }
  if (original.has_frontend_attributes() &&
      frontend_attributes_text(original.frontend_attributes()) ==
          frontend_attributes_text(message->frontend_attributes())) {
    *message->mutable_frontend_attributes() = original.frontend_attributes();
  }
  if (!original.has_sharding()) return;
  const std::optional<std::string> sharding = sharding_text(original.sharding());
  if (message->has_sharding() ? sharding == sharding_text(message->sharding()) : !sharding) {
    *message->mutable_sharding() = original.sharding();
  }
}

}  // namespace

void set_instruction(const hlo::Module& module, const hlo::Instruction& instruction,
                     const Instruction* original, Instruction* message) {
  if (instruction.wrapped) {
    throw std::runtime_error(
        "expected async-start with a computation; the short form has no message");
  }
  message->set_name(instruction.name);
  message->set_opcode(std::string(to_string(instruction.opcode)));
  set_shape(instruction.shape, message->mutable_shape());
  if (instruction.opcode == Opcode::kParameter) {
    message->set_parameter_number(instruction.parameter_number);
  }
  if (instruction.literal && instruction.opcode == Opcode::kConstant) {
    set_literal(*instruction.literal, message->mutable_literal());
    *message->mutable_literal()->mutable_shape() = message->shape();
  }
  for (const Attribute& attribute : instruction.attributes) {
    if (std::holds_alternative<hlo::ComputationList>(attribute.value) ||
        std::holds_alternative<hlo::InstructionList>(attribute.value)) {
      continue;
    }
    if (set_common_attribute(attribute, message)) continue;
    if (set_raw_attribute(instruction, attribute, message)) continue;
    set_table_attribute(attribute, message);
  }
  set_defaults(module, instruction, original == nullptr, message);
  if (original) keep_what_text_cannot_say(*original, message);
}

hlo::ComputationList called_in_order(const hlo::Instruction& instruction) {
  auto named = [&](AttributeKey key, hlo::ComputationList& list) {
    const Attribute* attribute = instruction.find(key);
    const auto* called = attribute ? std::get_if<hlo::ComputationList>(&attribute->value) : nullptr;
    if (called) list.insert(list.end(), called->begin(), called->end());
  };
  hlo::ComputationList list;
  if (instruction.opcode == Opcode::kWhile) {
    named(AttributeKey::kBody, list);
    named(AttributeKey::kCondition, list);
    return list;
  }
  if (instruction.opcode == Opcode::kSelectAndScatter) {
    named(AttributeKey::kSelect, list);
    named(AttributeKey::kScatter, list);
    return list;
  }
  if (instruction.opcode == Opcode::kConditional &&
      instruction.has(AttributeKey::kTrueComputation)) {
    named(AttributeKey::kTrueComputation, list);
    named(AttributeKey::kFalseComputation, list);
    return list;
  }
  return instruction.called_computations();
}

}  // namespace flipsat::frontends
