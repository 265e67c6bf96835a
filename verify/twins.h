// Values of one module that are equal because they are written twice: the same operation on equal
// operands. A proof may take them for one another.
#pragma once

#include <vector>

#include "hlo/module.h"

namespace flipsat::verify {

// For each instruction the first of its computation that computes the same by structure, itself
// where there is no other. Whatever draws randomness, acts on the world, calls computations or
// cannot be looked into is equal to itself alone.
std::vector<hlo::InstructionId> twins_of(const hlo::Module& module);

}  // namespace flipsat::verify
