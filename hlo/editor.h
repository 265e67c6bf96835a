// Changing a module: insert, replace, remove what is left unused. Shared by the greedy passes and by
// the export of an extraction, so that both patch a module in the same way.
//
// The rules of patching. What is not changed keeps its name, its text and its place. A replacement
// of the same opcode takes over the name, metadata, sharding and frontend attributes of what it
// replaces, so its users need no edit; one of another opcode gets a fresh name `<opcode>.<number>`
// and its users are re-pointed. New instructions stand as late as their first user allows.
#pragma once

#include <string>
#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

class ModuleEditor {
 public:
  explicit ModuleEditor(Module& module);

  // Adds an instruction to a computation; it is live at once and listed by `finish`. An empty name
  // is filled with a fresh one. Operands must be in the same computation.
  InstructionId add(ComputationId computation, Instruction instruction);

  // All users of `old_value` use `new_value` instead, and the root if it was that; naming as above.
  // Instructions added since count as users too. Shapes must agree but for layout.
  void replace_all_uses(InstructionId old_value, InstructionId new_value);

  // One operand of one user.
  void set_operand(InstructionId user, size_t index, InstructionId operand);

  // Settles the computations' lists: places what was added (as late as the first user allows),
  // drops what is unused, has no side effect, was used before or was added, and keeps everything
  // that the input itself left unused. Re-orders nothing that was there, unless an operand would
  // stand after its user: then the user moves down just enough.
  void finish();

  NameTable& names() { return names_; }
  // A channel id that the module does not use; each call gives another.
  int64_t fresh_channel_id();

 private:
  Module& module_;
  NameTable names_;
  int64_t next_channel_ = 0;
  std::vector<InstructionId> added_;
  std::vector<InstructionId> lost_users_;  // may have become unused
  std::vector<std::vector<InstructionId>> users_;
};

}  // namespace flipsat::hlo
