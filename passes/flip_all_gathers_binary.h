// aws_neuron_flip_all_gathers_binary.
//
//   f(AG(x1), .., AG(xk)) = AG(f(x1, .., xk))          exact, f elementwise
//
// The gathers must put the same members in the same places. A convert is left to its own pass.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> sound_flip_all_gathers_binary();

}  // namespace flipsat::passes
