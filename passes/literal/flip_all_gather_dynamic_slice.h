// aws_neuron_flip_all_gather_dynamic_slice as the compiler has it.
//
//   DS(AG_d(x), i) -> AG_d(DS(x, i))
//
// From rank 3 on, where at least two dims are cut and d is not. Where the members of a group cut is
// not asked: members that cut in different places gather a mosaic.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> literal_flip_all_gather_dynamic_slice();

}  // namespace flipsat::passes
