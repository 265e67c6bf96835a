// An instruction that was read and then changed: its source text with only the changes printed
// anew.
#pragma once

#include <string>
#include <vector>

#include "frontends/text/line_printer.h"
#include "frontends/text/source_line.h"

namespace flipsat::frontends {

class LinePatcher {
 public:
  LinePatcher(const hlo::Module& module, const PrintStyle& style,
              const std::vector<bool>& own_line);

  // How a computation that is written where it is used is printed, and whether it has changed; by
  // default they have not.
  using InlinedChange = std::function<bool(hlo::ComputationId)>;
  void set_inlined(LinePrinter::InlinedPrinter printer, InlinedChange change) {
    printer_.set_inlined_printer(std::move(printer));
    inlined_change_ = std::move(change);
  }

  // The text of an instruction that has source text. `mark_root`: with ROOT before the name.
  void append(hlo::InstructionId id, bool mark_root, std::string& out);

  const LinePrinter& printer() const { return printer_; }
  SourceLineReader& reader() { return reader_; }

 private:
  void append_head(hlo::InstructionId id, const SourceLine& line, bool mark_root, std::string& out);
  bool same_shape(const hlo::Instruction& instruction, const SourceLine& line) const;
  void append_operands(const hlo::Instruction& instruction, const SourceLine& line,
                       std::string& out);
  bool says(const SourceOperand& written, hlo::InstructionId operand) const;
  void append_attributes(const hlo::Instruction& instruction, const SourceLine& line,
                         std::string& out);
  bool still_says(const hlo::Attribute& attribute, const SourceAttribute& written);
  void append_made_attribute(const hlo::Attribute& attribute, std::string& out);

  const hlo::Module& module_;
  const PrintStyle& style_;
  const std::vector<bool>& own_line_;
  LinePrinter printer_;
  SourceLineReader reader_;
  InlinedChange inlined_change_;
};

}  // namespace flipsat::frontends
