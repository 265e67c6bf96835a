#include "frontends/text/computation_printer.h"

#include <algorithm>

#include "frontends/text/own_lines.h"
#include "frontends/text/scanner.h"

namespace flipsat::frontends {

using hlo::Computation;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;

void append_computation_head(const LinePrinter& lines, const Module& module, ComputationId id,
                             bool mark_entry, std::string& out) {
  const Computation& computation = module.computations[id];
  if (mark_entry) out += "ENTRY ";
  lines.append_name(computation.name, out);
  out += ' ';
  if (lines.style().signatures) {
    out += '(';
    for (size_t i = 0; i < computation.parameters.size(); ++i) {
      const Instruction& parameter = module[computation.parameters[i]];
      if (i > 0) out += ", ";
      out += parameter.name + ": " + to_string_without_layout(parameter.shape);
    }
    out += ") -> " + to_string_without_layout(module[computation.root].shape) + ' ';
  }
  out += '{';
}

void append_computation(const LinePrinter& lines, const Module& module, ComputationId id,
                        bool mark_entry, std::string& out) {
  const Computation& computation = module.computations[id];
  const PrintStyle& style = lines.style();
  append_computation_head(lines, module, id, mark_entry, out);
  for (InstructionId instruction : computation.instructions) {
    bool is_root = instruction == computation.root;
    if (lines.is_element(instruction) || lines.is_nested(instruction)) continue;
    out += style.newline;
    out += style.indentation.empty() ? "  " : style.indentation;
    if (is_root) out += "ROOT ";
    lines.append_instruction(instruction, out);
  }
  out += style.newline;
  out += '}';
  if (!computation.execution_thread.empty()) {
    out += ", execution_thread=\"" + escape(computation.execution_thread) + '"';
  }
}

void append_module_header(const Module& module, std::string& out) {
  out += "HloModule " + module.name;
  auto has = [&](std::string_view name) {
    return std::any_of(module.header.begin(), module.header.end(),
                       [&](const hlo::HeaderAttribute& a) { return a.name == name; });
  };
  if (module.is_scheduled && !has("is_scheduled")) out += ", is_scheduled=true";
  for (const hlo::HeaderAttribute& attribute : module.header) {
    out += ", " + attribute.name + '=';
    out += attribute.text;
  }
  auto count = [&](std::string_view name, const std::optional<int64_t>& value) {
    if (!value || *value == 1 || has(name)) return;
    out += ", ";
    out += name;
    out += '=' + std::to_string(*value);
  };
  count("replica_count", module.replica_count);
  count("num_partitions", module.num_partitions);
}

std::string long_form(const Module& module) {
  PrintStyle style;
  std::vector<bool> own_line = own_lines(module);
  LinePrinter lines(module, style, own_line);
  std::string out;
  if (module.has_header) {
    append_module_header(module, out);
    out += "\n\n";
  }
  bool first = true;
  for (ComputationId id : module.order) {
    if (module.computations[id].is_inlined) continue;
    if (!first) out += '\n';
    first = false;
    append_computation(lines, module, id, id == module.entry, out);
    out += '\n';
  }
  return out;
}

}  // namespace flipsat::frontends
