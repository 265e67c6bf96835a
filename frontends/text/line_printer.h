// Instructions as text, from their values alone: for what was not read or has changed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontends/text/print_style.h"
#include "hlo/module.h"

namespace flipsat::frontends {

class LinePrinter {
 public:
  // `own_line` names instructions that are implicit or inlined but must be printed on a line of
  // their own all the same (by id; may be empty). Both must outlive the printer.
  LinePrinter(const hlo::Module& module, const PrintStyle& style, const std::vector<bool>& own_line)
      : module_(module), style_(style), own_line_(own_line) {}

  // Spelled `%tuple#0` by its users, with no line of its own.
  bool is_element(hlo::InstructionId id) const { return module_[id].implicit && !has_own_line(id); }
  // Spelled out in its user's operand list, with no line of its own.
  bool is_nested(hlo::InstructionId id) const {
    return module_[id].is_inlined && !has_own_line(id);
  }

  void append_name(std::string_view name, std::string& out) const;
  // The name, or `%tuple#0#1`.
  void append_reference(hlo::InstructionId id, std::string& out) const;
  // With its shape where the style says so.
  void append_operand(hlo::InstructionId id, std::string& out) const;
  void append_operands(const hlo::Instruction& instruction, std::string& out) const;
  // The whole instruction without ROOT: `%name = shape opcode(operands), attributes`.
  void append_instruction(hlo::InstructionId id, std::string& out) const;
  // How a computation that is written where it is used is printed; by default flat, from its
  // values.
  using InlinedPrinter = std::function<void(hlo::ComputationId, std::string&)>;
  void set_inlined_printer(InlinedPrinter printer) { inlined_printer_ = std::move(printer); }

  // `name=value`; the spelling where there is one.
  void append_attribute(const hlo::Attribute& attribute, std::string& out) const;
  // What stands after '=', from the value.
  void append_value(const hlo::Attribute& attribute, std::string& out) const;
  // `{ ... }` of a computation that is written where it is used.
  void append_inlined_computation(hlo::ComputationId id, std::string& out) const;

  const PrintStyle& style() const { return style_; }

 private:
  bool has_own_line(hlo::InstructionId id) const { return id < own_line_.size() && own_line_[id]; }
  void append_right_side(const hlo::Instruction& instruction, std::string& out) const;
  void append_computations(const hlo::ComputationList& list, bool braces, std::string& out) const;

  const hlo::Module& module_;
  const PrintStyle& style_;
  const std::vector<bool>& own_line_;
  InlinedPrinter inlined_printer_;
};

// The word of the opcode: `add`, or `reduce-scatter-start` for sugared async instructions.
std::string opcode_word(const hlo::Instruction& instruction);

// Attributes of a new instruction in the order in which XLA prints them.
std::vector<const hlo::Attribute*> in_printed_order(const hlo::Instruction& instruction);

}  // namespace flipsat::frontends
