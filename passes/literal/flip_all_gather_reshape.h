// aws_neuron_flip_all_gather_reshape as the compiler has it.
//
//   reshape(AG_d(x)) -> AG_o(reshape'(x))
//
// Fires where the factors of d go into one dim o of the result (literal/reshape_dims.h). That the
// parts then also stay together is not asked: what is merged into o before d interleaves them.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> literal_flip_all_gather_reshape();

}  // namespace flipsat::passes
