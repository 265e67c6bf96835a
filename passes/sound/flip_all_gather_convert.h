// aws_neuron_flip_all_gather_convert.
//
//   convert(AG(x)) = AG(convert(x))          exact, whatever the values
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> sound_flip_all_gather_convert();

}  // namespace flipsat::passes
