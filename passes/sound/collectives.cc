#include "passes/sound/collectives.h"

#include <algorithm>

#include "hlo/common_attributes.h"
#include "hlo/frontend_attributes.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;
using hlo::Shape;

// Facts about one value, which do not follow an instruction to another value.
constexpr AttributeKey kOfTheValue[] = {AttributeKey::kSharding, AttributeKey::kStatistics,
                                        AttributeKey::kOrigin, AttributeKey::kMetadata};

Verdict may_touch(Context& context, InstructionId id) {
  const Instruction& instruction = context[id];
  if (!instruction.control_predecessors().empty() || context.controls_others(id)) {
    return Verdict::refuse("control dependencies");
  }
  if (hlo::frontend_attribute(instruction, "_scheduling_group_id")) {
    return Verdict::refuse("in a scheduling group");
  }
  if (!instruction.shape.is_array()) return Verdict::refuse("not an array");
  auto refuse_shape = [](const Shape& shape) -> const char* {
    if (!shape.is_static()) return "a dim is dynamic";
    if (hlo::has_binding_layout(shape)) return "a layout is opaque";
    return nullptr;
  };
  if (const char* reason = refuse_shape(instruction.shape)) return Verdict::refuse(reason);
  for (InstructionId operand : instruction.operands) {
    if (const char* reason = refuse_shape(context[operand].shape)) return Verdict::refuse(reason);
  }
  return Verdict::accept();
}

void erase_facts_of_the_value(Instruction& instruction) {
  for (AttributeKey key : kOfTheValue) instruction.erase(key);
}

void copy_attribute(const Instruction& from, AttributeKey key, Instruction& to) {
  if (const hlo::Attribute* attribute = from.find(key)) hlo::set_common_attribute(to, *attribute);
}

}  // namespace

InstructionId collective_below(const Context& context, InstructionId id, size_t index,
                               std::initializer_list<Opcode> opcodes) {
  const Instruction& above = context[id];
  if (index >= above.operands.size()) return hlo::kNoId;
  InstructionId below = above.operands[index];
  if (context[below].opcode == Opcode::kGetTupleElement) below = context[below].operands.front();
  bool found = std::find(opcodes.begin(), opcodes.end(), context[below].opcode) != opcodes.end();
  return found ? below : hlo::kNoId;
}

Verdict may_move(Context& context, InstructionId above, InstructionId collective) {
  const Instruction& below = context[collective];
  if (context.module().is_scheduled) return Verdict::refuse("the module is scheduled");
  if (below.operands.size() != 1) return Verdict::refuse("the collective has several operands");
  if (below.bool_attribute(AttributeKey::kConstrainLayout, false)) {
    return Verdict::refuse("the layout is constrained");
  }
  if (!context.counts().known) return Verdict::refuse("the device count is not known");
  if (!hlo::group_mode(below)) return Verdict::refuse("the group mode is invalid");
  for (InstructionId id : {above, collective}) {
    Verdict verdict = may_touch(context, id);
    if (verdict.is_refused()) return verdict;
  }
  const hlo::DeviceGroupsRef groups = hlo::device_groups(below, context.counts());
  const Shape& operand = context[below.operands[0]].shape;
  if (!groups || !hlo::shapes_fit_groups(below, operand, below.shape, *groups)) {
    return Verdict::refuse("its groups do not fit the devices or its shapes");
  }
  return Verdict::accept();
}

bool same_groups(const Context& context, const Instruction& a, const Instruction& b) {
  if (!hlo::group_mode(a) || hlo::group_mode(a) != hlo::group_mode(b)) return false;
  hlo::DeviceGroupsRef groups_a = hlo::device_groups(a, context.counts());
  hlo::DeviceGroupsRef groups_b = hlo::device_groups(b, context.counts());
  if (groups_a && groups_b) return *groups_a == *groups_b;
  // Written alike they are alike, whatever the counts.
  auto written = [](const Instruction& collective) {
    const hlo::Attribute* attribute = collective.find(AttributeKey::kReplicaGroups);
    const auto* groups =
        attribute ? std::get_if<hlo::ReplicaGroupsRef>(&attribute->value) : nullptr;
    return groups && *groups ? **groups : hlo::ReplicaGroups{};
  };
  return written(a) == written(b);
}

Instruction moved_below(const Context& context, InstructionId above, InstructionId collective,
                        std::vector<InstructionId> operands, Shape shape) {
  Instruction moved;
  moved.opcode = context[above].opcode;
  moved.attributes = context[above].attributes;
  moved.operands = std::move(operands);
  moved.shape = std::move(shape);
  erase_facts_of_the_value(moved);
  copy_attribute(context[collective], AttributeKey::kMetadata, moved);
  return moved;
}

Instruction moved_above(const Context& context, hlo::ModuleEditor& editor, InstructionId above,
                        InstructionId collective, InstructionId operand) {
  const Instruction& below = context[collective];
  Instruction moved;
  moved.opcode = below.opcode;
  moved.attributes = below.attributes;
  moved.operands = {operand};
  moved.shape = context[above].shape;
  erase_facts_of_the_value(moved);
  for (AttributeKey key : kOfTheValue) copy_attribute(context[above], key, moved);
  if (below.channel_id()) {
    const std::vector<InstructionId>& users = editor.users(collective);
    bool goes_away = std::all_of(users.begin(), users.end(),
                                 [&](InstructionId user) {
                                   return user == above || editor.will_be_dropped(user);
                                 }) &&
                     context.module().computations[below.computation].root != collective;
    if (!goes_away) moved.set(AttributeKey::kChannelId, editor.fresh_channel_id());
  }
  return moved;
}

}  // namespace flipsat::passes
