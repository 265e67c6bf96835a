// What a program does besides computing values.
#pragma once

#include <vector>

#include "hlo/module.h"

namespace flipsat::verify {

// Instructions that act on the world outside the module, or call what does.
std::vector<bool> acting_instructions(const hlo::Module& module);

}  // namespace flipsat::verify
