// What cost needs to know of one collective, whichever way it is written.
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/module.h"

namespace flipsat::extract {

struct Collective {
  hlo::Opcode opcode = hlo::Opcode::kAllReduce;      // synchronous
  const hlo::Instruction* description = nullptr;     // carries dims, groups, channel
  hlo::ElementType type = hlo::ElementType::kTuple;  // of its elements; kTuple where they differ
  // In the convention of launch_time: gathers by their results, all else by its operands; the
  // members of a variadic collective summed.
  int64_t bytes = 0;
};

// Nullopt for what is not a collective. An asynchronous start is one, under its plain opcode (an
// async-start by the collective that it wraps); its other halves are not.
std::optional<Collective> as_collective(const hlo::Module& module,
                                        const hlo::Instruction& instruction);

}  // namespace flipsat::extract
