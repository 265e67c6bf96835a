// aws_neuron_flip_reduce_convert_add as the compiler has it.
//
//   add(convert(R(x)), u) -> add(R(convert(x)), u),   R all-reduce or reduce-scatter
//
// Where u is a part of a parameter, as a loop's accumulators are. Types are not looked at: a
// convert that narrows goes first as well. The reducer stays the one of the old type, and the
// collective gets a fresh channel id even where it had none.
#pragma once

#include "passes/pass.h"

namespace flipsat::passes {

std::unique_ptr<Pass> literal_flip_reduce_convert_add();

}  // namespace flipsat::passes
