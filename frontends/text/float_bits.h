// Numbers to and from the bit patterns of HLO's floating-point types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hlo/element_type.h"

namespace flipsat::frontends {

// The bits of the nearest value (ties to even). Nullopt where `value` rounds past the largest
// finite value or where the type has no such infinity, NaN or zero.
std::optional<uint64_t> float_bits(double value, hlo::ElementType type);

// A NaN with this payload in its mantissa; nullopt where the type has none like it.
std::optional<uint64_t> nan_bits(uint64_t payload, bool negative, hlo::ElementType type);

// `1.5`, `-inf`, `nan`, `-nan(0x7)`: the shortest text that reads back as these bits.
std::string float_text(uint64_t bits, hlo::ElementType type);

}  // namespace flipsat::frontends
