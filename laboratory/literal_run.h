// What the compiler itself would make of a module: the six passes as it has them, in its order.
#pragma once

#include <optional>

#include "laboratory/correctness.h"

namespace flipsat::laboratory {

struct LiteralRun {
  std::optional<extract::ProgramCost> cost;  // nullopt: a pass went wrong, as `correctness` says
  Correctness correctness;
};

// Throws hlo::InputError for a module that is not well formed.
LiteralRun run_literal(const hlo::Module& module, const optimizer::Options& options);

}  // namespace flipsat::laboratory
