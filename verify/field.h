// Arithmetic modulo a prime near 2^61: what float sums and products become in the class `reassoc`,
// where programs need only agree over the reals. Small integers and dyadic fractions are
// themselves, so that constants obey the same laws. (p - 1) / 2 is a prime too, so that powers of
// two are as many elements: modulo 2^61 - 1 there are just 61 of them.
#pragma once

#include <cstdint>

#include "verify/term.h"

namespace flipsat::verify::field {

inline constexpr uint64_t kPrime = (uint64_t{1} << 61) - 2373;

inline uint64_t reduce(uint64_t x) { return x % kPrime; }
inline uint64_t add(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}
inline uint64_t negate(uint64_t a) { return a == 0 ? 0 : kPrime - a; }
inline uint64_t multiply(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % kPrime);
}
uint64_t power(uint64_t base, uint64_t exponent);
// 0 for 0.
inline uint64_t inverse(uint64_t a) { return power(a, kPrime - 2); }

// The element that stands for a term: numbers map to themselves (infinities and NaN to elements of
// their own), fingerprints are taken modulo the prime.
uint64_t element(const Term& term);

}  // namespace flipsat::verify::field
