// Is a module well formed? Run on every module before it is optimised and after.
#pragma once

#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::hlo {

// Shapes of results against operands, ranks, dims in range, operand counts, called computations'
// signatures, operands defined before use in the same computation, one root, parameter numbers,
// unique names in a computation, replica groups (ids unique, in range, equal sizes except for
// all-reduce), gather and scatter shapes against group sizes where the device counts are known.
// Throws InputError at the instruction's place.
//
// Opcodes whose result shape needs inference that is not written yet are checked for operand count
// only; nothing well formed is refused.
void verify_module(const Module& module, const DeviceCounts& counts);

}  // namespace flipsat::hlo
