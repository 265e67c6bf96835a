// Attributes that any instruction may have: sharding, frontend_attributes, metadata and so on.
#pragma once

#include "hlo/module.h"

namespace flipsat::hlo {

// Sets one of them in its printed place: after the opcode's own, in the order of their keys.
void set_common_attribute(Instruction& instruction, const Attribute& attribute);

}  // namespace flipsat::hlo
