// aws_neuron_flip_all_gathers_binary as the compiler has it.
//
//   f(AG(a), AG(b)) -> AG(f(a, b)),   f one of nine
//
// The gathers must be identical but for their operands: their channel ids are compared by value, so
// that two gathers which have one each of their own never match. The result gets a fresh channel id
// even where they had none.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> literal_flip_all_gathers_binary();

}  // namespace flipsat::passes
