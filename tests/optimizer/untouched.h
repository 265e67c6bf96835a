// The promise that what no change concerns is written as it was read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hlo/module.h"

namespace flipsat::optimizer::testing {

// Lines of instructions by computation and name. Whether one is the root is no part of them.
inline std::map<std::string, std::string> lines_of(const hlo::Module& module) {
  std::map<std::string, std::string> lines;
  for (hlo::ComputationId id : module.order) {
    const hlo::Computation& computation = module.computations[id];
    for (hlo::InstructionId instruction : computation.instructions) {
      const hlo::Instruction& it = module[instruction];
      if (it.implicit || it.is_inlined) continue;
      std::string_view line = module.source_text(it.text);
      if (line.starts_with("ROOT ")) line.remove_prefix(5);
      lines[computation.name + "/" + it.name] = std::string(line);
    }
  }
  return lines;
}

inline std::vector<std::string> operand_names(const hlo::Module& module, hlo::InstructionId id) {
  std::vector<std::string> names;
  for (hlo::InstructionId operand : module[id].operands) names.push_back(module[operand].name);
  return names;
}

// An instruction of the input whose line in the output's text differs though neither its name nor
// its operands' names do; empty if there is none. `output` is a patched copy of `input`, `printed`
// its text read again.
inline std::string touched_without_need(const hlo::Module& input, const hlo::Module& output,
                                        const hlo::Module& printed) {
  const std::map<std::string, std::string> before = lines_of(input), after = lines_of(printed);
  for (hlo::ComputationId id : output.order) {
    for (hlo::InstructionId i : output.computations[id].instructions) {
      if (i >= input.instructions.size() || input[i].name != output[i].name) continue;
      if (operand_names(input, i) != operand_names(output, i)) continue;
      const std::string key = output.computations[id].name + "/" + output[i].name;
      if (!before.count(key) || !after.count(key)) continue;
      if (before.at(key) != after.at(key)) return key;
    }
  }
  return "";
}

}  // namespace flipsat::optimizer::testing
