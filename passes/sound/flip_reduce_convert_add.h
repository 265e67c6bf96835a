// aws_neuron_flip_reduce_convert_add.
//
//   convert(R(x)) = R'(convert(x)),   R an all-reduce or reduce-scatter, R' rebuilt at the new type
//
// Right by kind and types alone (hlo/reduce_convert.h). For a float sum the right side is the more
// precise one, so it needs numerics that allow `precise`. The add above it, by which the compiler
// finds its gradient accumulators, has no part in what makes it right.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> sound_flip_reduce_convert_add();

}  // namespace flipsat::passes
