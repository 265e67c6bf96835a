// The header of HLO text, with its tables of stack frames, as fields of a module's message.
#pragma once

#include "frontends/proto/hlo.pb.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// For a module that was not read from a proto. Numbers of replicas and partitions become a device
// assignment in the order of ids, the one place where a bare module can say them.
void set_header(const hlo::Module& module, hlo_proto::Module* message);

// Parameters and root, with layouts.
void set_program_shape(const hlo::Module& module, const hlo::Computation& computation,
                       hlo_proto::ProgramShape* message);

}  // namespace flipsat::frontends
