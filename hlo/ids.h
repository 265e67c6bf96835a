// Numbers that name instructions and computations inside one module.
#pragma once

#include <cstdint>
#include <limits>

namespace flipsat::hlo {

using InstructionId = uint32_t;
using ComputationId = uint32_t;

inline constexpr uint32_t kNoId = std::numeric_limits<uint32_t>::max();

}  // namespace flipsat::hlo
