// Modules for tests, written as text.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "frontends/text/text.h"
#include "hlo/call_graph.h"
#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::hlo {

inline Module parse(const std::string& text) { return frontends::read_text(text, "test.hlo"); }

inline InstructionId id_of(const Module& module, const std::string& name) {
  for (ComputationId computation : module.order) {
    for (InstructionId id : module.computations[computation].instructions) {
      if (module[id].name == name) return id;
    }
  }
  throw std::logic_error("no instruction " + name);
}

inline const Instruction& find(const Module& module, const std::string& name) {
  return module[id_of(module, name)];
}

inline ComputationId computation_of(const Module& module, const std::string& name) {
  for (ComputationId id : module.order) {
    if (module.computations[id].name == name) return id;
  }
  throw std::logic_error("no computation " + name);
}

}  // namespace flipsat::hlo
