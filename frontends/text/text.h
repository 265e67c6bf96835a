// HLO text: read and written. See docs/hlo-text.md for what is accepted.
#pragma once

#include <string>
#include <string_view>

#include "frontends/text/names.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// Reads a module, bare computations, or a single instruction. Throws hlo::InputError with the place
// of the fault; `file` is only for messages. Linear in the length of the text.
hlo::Module read_text(std::string text, const std::string& file);

// The module as text. What nobody touched is copied from the source to the letter, comments and
// spacing included; a module that nobody touched is its source byte for byte. A module that was not
// read from text is printed in XLA's own long form.
std::string write_text(const hlo::Module& module);

// One instruction as it would stand on a line, without indentation (for messages and diffs).
std::string print_instruction(const hlo::Module& module, hlo::InstructionId id);

}  // namespace flipsat::frontends
