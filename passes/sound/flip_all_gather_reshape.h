// aws_neuron_flip_all_gather_reshape.
//
//   reshape(AG_d(x)) = AG_o(reshape'(x))          exact
//
// Right where as many elements lie before dim o of the result as before dim d of the gather, and
// the group size divides the size of o: then o's outermost part is the member that the element is
// from.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> sound_flip_all_gather_reshape();

}  // namespace flipsat::passes
