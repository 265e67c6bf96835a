// aws_neuron_flip_reduce_scatter_transpose as the compiler has it.
//
//   transpose_p([convert](RS_d(x))) -> RS_o(transpose_p([convert](x))),   p(o) = d
//
// Where x is the reshape of a dynamic-update-slice, or a sum with a part of a parameter. A convert
// goes first whatever its types are, and the reducer stays the one of the old type.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> literal_flip_reduce_scatter_transpose();

}  // namespace flipsat::passes
