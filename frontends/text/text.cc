#include "frontends/text/text.h"

#include "frontends/text/computation_printer.h"
#include "frontends/text/module_patcher.h"
#include "frontends/text/module_reader.h"
#include "frontends/text/same_structure.h"

namespace flipsat::frontends {

using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;

namespace {

// The text is a lone instruction, which is not written inside a computation.
bool is_lone_instruction(const Module& module) {
  return module.source && !module.has_header && module.computations.size() > 0 &&
         module.computations[module.entry].text.empty();
}

}  // namespace

Module read_text(std::string text, const std::string& file) {
  return ModuleReader(std::make_shared<const std::string>(std::move(text)), file).read();
}

std::string write_text(const Module& module) {
  if (!module.source) return long_form(module);
  if (!is_lone_instruction(module)) return ModulePatcher(module).text();
  std::string same = *module.source;
  return same_structure(module, read_text(same, module.file)) ? same : long_form(module);
}

std::string print_instruction(const Module& module, InstructionId id) {
  const Instruction& instruction = module[id];
  bool has_source = module.source && !instruction.text.empty() && !instruction.implicit;
  if (has_source && !instruction.touched) return std::string(module.source_text(instruction.text));
  PrintStyle style = style_of(module);
  std::vector<bool> own_line(module.instructions.size(), false);
  own_line[id] = true;
  std::string out;
  bool is_root = instruction.computation != hlo::kNoId &&
                 module.computations[instruction.computation].root == id;
  if (has_source) {
    bool marked = module.source_text(instruction.text).starts_with("ROOT ");
    LinePatcher(module, style, own_line).append(id, marked && is_root, out);
    return out;
  }
  if (is_root) out += "ROOT ";
  LinePrinter(module, style, own_line).append_instruction(id, out);
  return out;
}

}  // namespace flipsat::frontends
