// aws_neuron_flip_reduce_scatter_transpose.
//
//   transpose_p(RS_d(x)) = RS_o(transpose_p(x)),   p(o) = d          exact
//
// A convert between the two moves by its own pass, which runs before this one.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> sound_flip_reduce_scatter_transpose();

}  // namespace flipsat::passes
