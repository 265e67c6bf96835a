// One collective of several operands, as a combiner writes it: operands in order, a tuple of what
// each would give alone, groups and channel id of the first.
//
//   r = (f32[4], f32[8]) all-reduce(a, b), channel_id=1, ...
#pragma once

#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

// Is everything that is written on a collective of one operand known to be right for several? What
// is not (a layout that is fixed, aliasing, attributes of other versions, reducers that are none of
// the usual ones or of a type that does not hold the data) is never combined.
bool can_be_combined(const Module& module, const Instruction& collective);

// What collectives that a compiler combines may still have to be told apart by: dims, reducers that
// are not the same function, backend configurations. Those that can be combined, with equal text
// here and the same combiner key, can be written as one.
std::string combined_form(const Module& module, const Instruction& collective);

// What all say of themselves, metadata and frontend attributes, is kept; sharding, origin and
// statistics are left to the elements. Neither named nor added to the module.
Instruction combined_collective(const Module& module, const std::vector<InstructionId>& members);

// The element that takes the place of a member.
Instruction combined_element(const Instruction& member, InstructionId combined, int64_t index);

}  // namespace flipsat::hlo
