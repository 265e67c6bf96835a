#include "passes/literal/build.h"

#include "hlo/common_attributes.h"

namespace flipsat::passes::literal {
namespace {

using hlo::AttributeKey;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

template <size_t kCount>
Instruction copy_with(const Context& context, InstructionId like,
                      const AttributeKey (&keys)[kCount]) {
  Instruction copy;
  copy.opcode = context[like].opcode;
  for (const hlo::Attribute& attribute : context[like].attributes) {
    for (AttributeKey key : keys) {
      if (attribute.key == key) copy.attributes.push_back(attribute);
    }
  }
  return copy;
}

}  // namespace

std::string named(const Context& context, InstructionId id) { return "%" + context[id].name; }

bool is_all_gather(const Context& context, InstructionId id) {
  return context[id].opcode == Opcode::kAllGather;
}

bool is_part_of_parameter(const Context& context, InstructionId id) {
  const Instruction& part = context[id];
  return part.opcode == Opcode::kGetTupleElement &&
         context[part.operands[0]].opcode == Opcode::kParameter;
}

Instruction operation(const Context& context, InstructionId like,
                      std::vector<InstructionId> operands, hlo::Shape shape) {
  constexpr AttributeKey kKept[] = {AttributeKey::kDimensions, AttributeKey::kDynamicSliceSizes};
  Instruction made = copy_with(context, like, kKept);
  made.operands = std::move(operands);
  made.shape = std::move(shape);
  return made;
}

Instruction convert(InstructionId x, hlo::Shape shape) {
  Instruction made;
  made.opcode = Opcode::kConvert;
  made.operands = {x};
  made.shape = std::move(shape);
  return made;
}

Instruction collective(const Context& context, InstructionId like, InstructionId operand,
                       hlo::Shape shape) {
  constexpr AttributeKey kKept[] = {
      AttributeKey::kChannelId,  AttributeKey::kReplicaGroups, AttributeKey::kConstrainLayout,
      AttributeKey::kDimensions, AttributeKey::kToApply,       AttributeKey::kUseGlobalDeviceIds};
  Instruction made = copy_with(context, like, kKept);
  made.operands = {operand};
  made.shape = std::move(shape);
  return made;
}

void give_next_channel_id(hlo::ModuleEditor& editor, Instruction& collective) {
  if (!collective.channel_id()) {
    collective.attributes.insert(collective.attributes.begin(),
                                 {AttributeKey::kChannelId, {}, {}, {}});
  }
  collective.set(AttributeKey::kChannelId, editor.fresh_channel_id());
}

void copy_metadata(const Context& context, InstructionId from, Instruction& to) {
  const hlo::Attribute* metadata = context[from].find(AttributeKey::kMetadata);
  if (metadata) hlo::set_common_attribute(to, *metadata);
}

InstructionId add(const Context& context, hlo::ModuleEditor& editor, InstructionId beside,
                  Instruction instruction) {
  instruction.name = editor.names().fresh(to_string(instruction.opcode));
  return editor.add(context[beside].computation, std::move(instruction));
}

}  // namespace flipsat::passes::literal
