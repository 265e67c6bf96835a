#include "hlo/editor.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "hlo/common_attributes.h"
#include "hlo/placement.h"

namespace flipsat::hlo {
namespace {

constexpr AttributeKey kInherited[] = {AttributeKey::kSharding, AttributeKey::kFrontendAttributes,
                                       AttributeKey::kMetadata};

}  // namespace

ModuleEditor::ModuleEditor(Module& module) : module_(module), users_(users_of(module)) {
  grow();
  for (ComputationId computation : module.order) {
    for (InstructionId id : module.computations[computation].instructions) {
      for (InstructionId other : module[id].control_predecessors()) controls_others_[other] = true;
    }
  }
}

// Reducers may be added to the module between two edits.
void ModuleEditor::grow() {
  size_t size = module_.instructions.size();
  users_.resize(size);
  added_.resize(size);
  lost_a_user_.resize(size);
  stands_for_old_.resize(size);
  controls_others_.resize(size);
  changed_.resize(module_.computations.size());
}

InstructionId ModuleEditor::add(ComputationId computation, Instruction instruction) {
  auto id = static_cast<InstructionId>(module_.instructions.size());
  instruction.computation = computation;
  instruction.touched = true;
  instruction.implicit = false;
  instruction.is_inlined = false;
  instruction.text = {};
  instruction.operands_text = {};
  if (next_channel_ > 0) {
    next_channel_ = std::max(next_channel_, instruction.channel_id().value_or(0) + 1);
  }
  bool table_is_current = names_ && named_instructions_ == id;
  module_.instructions.push_back(std::move(instruction));
  if (table_is_current) ++named_instructions_;
  grow();
  added_[id] = true;
  changed_[computation] = true;
  order_added_.push_back(id);
  for (InstructionId operand : module_[id].operands) {
    if (module_[operand].computation != computation) {
      throw std::logic_error("editor: an operand is in another computation");
    }
    add_user(operand, id);
  }
  return id;
}

void ModuleEditor::replace_all_uses(InstructionId old_value, InstructionId new_value,
                                    Inherit inherit) {
  if (old_value == new_value) return;
  grow();
  const Instruction& old_instruction = module_[old_value];
  Computation& computation = module_.computations[old_instruction.computation];
  if (module_[new_value].computation != old_instruction.computation ||
      !module_[new_value].shape.same_value_shape(old_instruction.shape)) {
    throw std::logic_error("editor: the replacement of " + old_instruction.name +
                           " has another shape or stands in another computation");
  }
  bool was_root = computation.root == old_value;
  if (was_root) {
    computation.root = new_value;
    touch(old_value);
  }
  std::vector<InstructionId> users = users_[old_value];
  bool keeps_itself = std::find(users.begin(), users.end(), new_value) != users.end();
  if (added_[new_value] && !stands_for_old_[new_value]) {
    stands_for_old_[new_value] = true;
    module_[new_value].shape = old_instruction.shape;
    bool takes_over = inherit == Inherit::kIfSameOpcode && !keeps_itself && may_drop(old_value);
    if (takes_over) take_over(old_value, new_value);
  }
  if (was_root) touch(new_value);
  for (InstructionId user : users) {
    if (user == new_value) continue;
    for (size_t i = 0; i < module_[user].operands.size(); ++i) {
      if (module_[user].operands[i] == old_value) set_operand(user, i, new_value);
    }
  }
  changed_[old_instruction.computation] = true;
  lose_user(old_value);
}

void ModuleEditor::set_operand(InstructionId user, size_t index, InstructionId operand) {
  grow();
  InstructionId before = module_[user].operands[index];
  if (before == operand) return;
  if (module_[operand].computation != module_[user].computation) {
    throw std::logic_error("editor: an operand is in another computation");
  }
  module_[user].operands[index] = operand;
  changed_[module_[user].computation] = true;
  if (module_[before].name != module_[operand].name || module_[operand].name.empty()) touch(user);
  remove_user(before, user);
  add_user(operand, user);
}

void ModuleEditor::set_operands(InstructionId user, std::vector<InstructionId> operands,
                                Shape shape) {
  grow();
  for (InstructionId operand : operands) {
    if (module_[operand].computation != module_[user].computation) {
      throw std::logic_error("editor: an operand is in another computation");
    }
  }
  const std::vector<InstructionId> before =
      std::exchange(module_[user].operands, std::move(operands));
  for (InstructionId operand : module_[user].operands) add_user(operand, user);
  for (InstructionId operand : before) remove_user(operand, user);
  set_shape(user, std::move(shape));
}

void ModuleEditor::set_shape(InstructionId id, Shape shape) {
  grow();
  module_[id].shape = std::move(shape);
  touch(id);
  for (InstructionId user : users_[id]) touch(user);  // they may spell it
}

// What is spelled inside its users is printed anew by printing them anew.
void ModuleEditor::touch(InstructionId id) {
  Instruction& instruction = module_[id];
  instruction.touched = true;
  changed_[instruction.computation] = true;
  if (!instruction.implicit && !instruction.is_inlined) return;
  for (InstructionId user : users_[id]) touch(user);
}

void ModuleEditor::give_own_line(InstructionId id) {
  touch(id);
  module_[id].is_inlined = false;
}

void ModuleEditor::add_user(InstructionId operand, InstructionId user) {
  if (module_[operand].is_inlined) give_own_line(operand);
  std::vector<InstructionId>& users = users_[operand];
  if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
}

// Called after the user's operand was changed.
void ModuleEditor::remove_user(InstructionId operand, InstructionId user) {
  const std::vector<InstructionId>& operands = module_[user].operands;
  if (std::find(operands.begin(), operands.end(), operand) != operands.end()) return;
  std::erase(users_[operand], user);
  lose_user(operand);
}

void ModuleEditor::lose_user(InstructionId id) {
  lost_users_.push_back(id);
  lost_a_user_[id] = true;
}

bool ModuleEditor::will_be_dropped(InstructionId id) const {
  return (lost_a_user_[id] || added_[id]) && users_[id].empty() && may_drop(id);
}

bool ModuleEditor::may_drop(InstructionId id) const {
  const Instruction& instruction = module_[id];
  return instruction.opcode != Opcode::kParameter && !controls_others_[id] &&
         instruction.control_predecessors().empty() &&
         module_.computations[instruction.computation].root != id &&
         !has_side_effect(module_, instruction);
}

void ModuleEditor::take_over(InstructionId old_value, InstructionId new_value) {
  const Instruction& from = module_[old_value];
  Instruction& to = module_[new_value];
  if (from.opcode != to.opcode) return;
  to.name = from.name;
  lost_names_.push_back(old_value);
  for (AttributeKey key : kInherited) {
    if (const Attribute* attribute = from.find(key)) set_common_attribute(to, *attribute);
  }
}

void ModuleEditor::finish() {
  grow();
  std::vector<bool> dropped = drop_unused();
  fill_names(dropped);
  Placement placement(module_, added_);
  for (ComputationId computation : module_.order) {
    if (!changed_[computation]) continue;
    Computation& edited = module_.computations[computation];
    bool root_was_last = !edited.instructions.empty() && edited.instructions.back() == edited.root;
    for (InstructionId id : edited.instructions) {
      if (!dropped[id]) placement.place(id);
    }
    // Added ones that have an effect but no user, and a root that was added, come last.
    for (InstructionId id : order_added_) {
      if (module_[id].computation == computation && !dropped[id]) placement.place(id);
    }
    placement.place(edited.root);
    edited.instructions = placement.take();
    // A last instruction needs no mark to be the root; one that is no longer last does.
    if (root_was_last && edited.instructions.back() != edited.root) touch(edited.root);
  }
  added_.assign(added_.size(), false);
  lost_a_user_.assign(lost_a_user_.size(), false);
  stands_for_old_.assign(stands_for_old_.size(), false);
  changed_.assign(changed_.size(), false);
  order_added_.clear();
}

std::vector<bool> ModuleEditor::drop_unused() {
  std::vector<bool> dropped(module_.instructions.size());
  std::vector<InstructionId> candidates = std::exchange(lost_users_, {});
  candidates.insert(candidates.end(), order_added_.begin(), order_added_.end());
  while (!candidates.empty()) {
    InstructionId id = candidates.back();
    candidates.pop_back();
    if (dropped[id] || !users_[id].empty() || !may_drop(id)) continue;
    dropped[id] = true;
    changed_[module_[id].computation] = true;
    for (InstructionId operand : module_[id].operands) {
      std::erase(users_[operand], id);
      candidates.push_back(operand);
    }
  }
  return dropped;
}

void ModuleEditor::fill_names(const std::vector<bool>& dropped) {
  for (InstructionId id : std::exchange(lost_names_, {})) {
    if (dropped[id]) continue;  // else something added since uses it: it stays, renamed
    module_[id].name.clear();
    touch(id);
    for (InstructionId user : users_[id]) touch(user);
    order_added_.push_back(id);
  }
  for (InstructionId id : order_added_) {
    if (dropped[id] || !module_[id].name.empty()) continue;
    module_[id].name = names().fresh(to_string(module_[id].opcode));
  }
}

NameTable& ModuleEditor::names() {
  if (!names_ || named_instructions_ < module_.instructions.size()) {
    names_.emplace(module_);
    named_instructions_ = module_.instructions.size();
  }
  return *names_;
}

int64_t ModuleEditor::fresh_channel_id() {
  if (next_channel_ == 0) next_channel_ = next_channel_id(module_);
  return next_channel_++;
}

}  // namespace flipsat::hlo
