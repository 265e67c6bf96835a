// A module as a message: the one that it was read from, patched, or a new one.
#pragma once

#include "frontends/proto/carried_proto.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// `carried` is null for a module that was not read from a proto. Throws hlo::InputError for what
// protos cannot say. False where nothing differs from the carried message.
bool set_module(const hlo::Module& module, const CarriedProto* carried, hlo_proto::Module* message);

}  // namespace flipsat::frontends
