// Computations and modules as text, from their values alone.
#pragma once

#include <string>

#include "frontends/text/line_printer.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// `%name (p: f32[]) -> f32[] {`, with ENTRY before it where `mark_entry`.
void append_computation_head(const LinePrinter& lines, const hlo::Module& module,
                             hlo::ComputationId id, bool mark_entry, std::string& out);

// The whole computation, without a newline at its end.
void append_computation(const LinePrinter& lines, const hlo::Module& module, hlo::ComputationId id,
                        bool mark_entry, std::string& out);

// `HloModule name, attributes`.
void append_module_header(const hlo::Module& module, std::string& out);

// A module that was not read from text, in XLA's long form.
std::string long_form(const hlo::Module& module);

}  // namespace flipsat::frontends
