// aws_neuron_flip_all_gathers_binary.
//
//   f(AG(x1), .., AG(xk)) = AG(f(x1, .., xk)),   f elementwise, k >= 2          exact
//
// The gathers must put the same members in the same places. Operations on one operand are left
// where they are: there is no gather to be saved, and one to be added where the old has other
// users.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> sound_flip_all_gathers_binary();

}  // namespace flipsat::passes
