// aws_neuron_flip_all_gather_convert as the compiler has it.
//
//   convert(AG(x)) -> AG(convert(x))
//
// Every convert of a gather, whatever it is, in whatever kind of module.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> literal_flip_all_gather_convert();

}  // namespace flipsat::passes
