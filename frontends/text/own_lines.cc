#include "frontends/text/own_lines.h"

#include <algorithm>

namespace flipsat::frontends {

using hlo::Instruction;
using hlo::InstructionId;

std::vector<bool> own_lines(const hlo::Module& module) {
  std::vector<bool> own_line(module.instructions.size(), false);
  std::vector<uint8_t> uses(module.instructions.size(), 0);
  for (hlo::ComputationId computation : module.order) {
    for (InstructionId id : module.computations[computation].instructions) {
      const Instruction& instruction = module[id];
      for (InstructionId operand : instruction.operands) {
        // `%tuple#0` needs the tuple's name.
        uses[operand] = std::min(3, uses[operand] + (instruction.implicit ? 2 : 1));
      }
      for (InstructionId predecessor : instruction.control_predecessors()) {
        own_line[predecessor] = true;
      }
      if (instruction.is_inlined && !instruction.attributes.empty()) own_line[id] = true;
      if (instruction.implicit && instruction.attributes.size() != 1) own_line[id] = true;
    }
    own_line[module.computations[computation].root] = true;
  }
  for (InstructionId id = 0; id < module.instructions.size(); ++id) {
    if (module[id].is_inlined && uses[id] != 1) own_line[id] = true;
  }
  return own_line;
}

}  // namespace flipsat::frontends
