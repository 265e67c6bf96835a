// Changing a module: insert, replace, remove what is left unused. Shared by the greedy passes and
// by the export of an extraction, so that both patch a module in the same way.
//
// The rules of patching. What is not changed keeps its name, its text and its place. A replacement
// of the same opcode takes over the name, metadata, sharding and frontend attributes of what it
// replaces, so its users need no edit; one of another opcode, or one that comes as a stranger, gets
// a fresh name `<opcode>.<number>` and its users are re-pointed. Either way it inherits the layout
// of the value that it now is. New instructions stand as late as their first user allows.
//
// Cost: one pass over the module to begin with, then each edit costs the users that it touches, and
// `finish` one pass over each computation that was changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

// Does a replacement take over what is said of the value that it replaces?
enum class Inherit : uint8_t { kIfSameOpcode, kNothing };

class ModuleEditor {
 public:
  explicit ModuleEditor(Module& module);

  // Adds an instruction to a computation; it is live at once and listed by `finish`, which also
  // fills an empty name. Operands must be in the same computation.
  InstructionId add(ComputationId computation, Instruction instruction);

  // All users of `old_value` use `new_value` instead, and the root if it was that; naming as above.
  // Instructions added since count as users too, but not `new_value` itself. Shapes must agree but
  // for layout.
  void replace_all_uses(InstructionId old_value, InstructionId new_value,
                        Inherit inherit = Inherit::kIfSameOpcode);

  // One operand of one user.
  void set_operand(InstructionId user, size_t index, InstructionId operand);
  // All operands, more or fewer than before, and the shape that goes with them.
  void set_operands(InstructionId user, std::vector<InstructionId> operands, Shape shape);
  // Another shape, as for the state of a loop; users that read it have to fit.
  void set_shape(InstructionId id, Shape shape);

  // Settles the computations' lists: places what was added (as late as the first user allows),
  // drops what is unused, has no side effect, was used before or was added, and keeps everything
  // that the input itself left unused. Re-orders nothing that was there, unless an operand would
  // stand after its user: then the user moves down just enough. Computations that nobody calls any
  // more stay. The editor can be used on afterwards.
  void finish();

  // Who uses a value now, each user once; in no order that a result may depend on.
  const std::vector<InstructionId>& users(InstructionId id) const { return users_[id]; }

  // Nothing uses it since an edit, and nothing else keeps it: `finish` would drop it.
  bool will_be_dropped(InstructionId id) const;

  NameTable& names();
  // A channel id that the module does not use; each call gives another.
  int64_t fresh_channel_id();

 private:
  void grow();
  void lose_user(InstructionId id);
  void touch(InstructionId id);
  void give_own_line(InstructionId id);
  void add_user(InstructionId operand, InstructionId user);
  void remove_user(InstructionId operand, InstructionId user);
  bool may_drop(InstructionId id) const;
  void take_over(InstructionId old_value, InstructionId new_value);
  std::vector<bool> drop_unused();
  void fill_names(const std::vector<bool>& dropped);

  Module& module_;
  std::optional<NameTable> names_;
  size_t named_instructions_ = 0;  // how many the table has seen
  int64_t next_channel_ = 0;       // 0: not asked for yet
  std::vector<std::vector<InstructionId>> users_;
  std::vector<bool> added_;            // since the last `finish`
  std::vector<bool> stands_for_old_;   // replaced something
  std::vector<bool> controls_others_;  // named in a control-predecessors attribute
  std::vector<bool> changed_;          // by computation
  std::vector<InstructionId> order_added_;
  std::vector<InstructionId> lost_users_;  // may have become unused
  std::vector<bool> lost_a_user_;          // is among them
  std::vector<InstructionId> lost_names_;  // another instruction took their name over
};

}  // namespace flipsat::hlo
