// Integer arithmetic of costs: 64 bits in and out, 128 bits in between, and INT64_MAX where a
// figure does not fit. Operands are never negative.
#pragma once

#include <cstdint>
#include <limits>

namespace flipsat::extract {

inline constexpr int64_t kSaturated = std::numeric_limits<int64_t>::max();

__extension__ typedef unsigned __int128 Wide;

inline int64_t saturating_narrow(Wide value) {
  return value > static_cast<Wide>(kSaturated) ? kSaturated : static_cast<int64_t>(value);
}

inline int64_t saturating_add(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? kSaturated : result;
}

inline int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? kSaturated : result;
}

inline Wide divide_rounding_up(Wide dividend, Wide divisor) {
  return dividend / divisor + (dividend % divisor != 0);
}

}  // namespace flipsat::extract
