// Shapes that HLO text may leave out, worked out from the operands.
#pragma once

#include <optional>

#include "hlo/module.h"

namespace flipsat::frontends {

// The result shape of an instruction whose text has none; nullopt where the opcode must spell its
// shape or the operands do not fit together.
std::optional<hlo::Shape> infer_shape(const hlo::Module& module,
                                      const hlo::Instruction& instruction);

}  // namespace flipsat::frontends
