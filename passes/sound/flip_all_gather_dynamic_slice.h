// aws_neuron_flip_all_gather_dynamic_slice.
//
//   DS(AG_d(x), i) = AG_d(DS(x, i))          exact, for a slice that leaves d whole
//
// Every start index of a dim that is cut must be the same on all members of a group: a member
// slices what it sends, so members that cut in different places would gather a mosaic. Starts of
// dims that are left whole clamp to zero before and after.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> sound_flip_all_gather_dynamic_slice();

}  // namespace flipsat::passes
