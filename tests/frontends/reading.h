// Short ways to read HLO text in tests.
#pragma once

#include <cstdlib>
#include <string>

#include "frontends/text/text.h"
#include "hlo/input_error.h"
#include "hlo/module.h"

namespace flipsat::frontends {

inline hlo::Module read(const std::string& text) { return read_text(text, "t.hlo"); }

// `4:7: message`, or an empty text where nothing is wrong.
inline std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const hlo::InputError& error) {
    return std::to_string(error.place().line) + ":" + std::to_string(error.place().column) + ": " +
           error.message();
  }
  return {};
}

// An entry computation around some lines; `p` is f32[2,3], `s` is f32[], `t` is a pair of them.
inline std::string in_entry(const std::string& lines) {
  return "HloModule m\n"
         "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, "
         "b)\n}\n"
         "ENTRY e {\n  p = f32[2,3]{1,0} parameter(0)\n  s = f32[] parameter(1)\n"
         "  t = (f32[2,3], f32[]) tuple(p, s)\n" +
         lines + "\n}\n";
}

// The live instruction of this name in the entry computation.
inline hlo::InstructionId find(const hlo::Module& module, const std::string& name) {
  for (hlo::InstructionId id : module.entry_computation().instructions) {
    if (module[id].name == name) return id;
  }
  return hlo::kNoId;
}

}  // namespace flipsat::frontends
