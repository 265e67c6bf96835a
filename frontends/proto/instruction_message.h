// One instruction as a message, all but for ids: those are the module's business.
#pragma once

#include "frontends/proto/hlo.pb.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// `original` is the message that the instruction was read from before it was changed; null for new
// ones. What it says that text cannot is kept. Throws std::runtime_error for what protos cannot
// say.
void set_instruction(const hlo::Module& module, const hlo::Instruction& instruction,
                     const hlo_proto::Instruction* original, hlo_proto::Instruction* message);

// Called computations in the order in which messages list them.
hlo::ComputationList called_in_order(const hlo::Instruction& instruction);

}  // namespace flipsat::frontends
