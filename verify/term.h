// What the interpreter computes for one element of one value on one device: a number that is known,
// or a 64-bit fingerprint of how the element was computed.
//
// Fingerprints stand for *values*, not for bit patterns: a value-preserving convert leaves them as
// they are. Numbers of integer types are kept wrapped to their type (u64 as the same bits in s64);
// reals are exact doubles already rounded to their type, complex numbers two of those.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "hlo/element_type.h"

namespace flipsat::verify {

enum class TermKind : uint8_t { kInteger, kReal, kComplex, kSymbol };

struct Term {
  uint64_t bits = 0;       // of the integer, the double (of a complex number: its real part)
  uint64_t imaginary = 0;  // of complex numbers: the bits of that double
  TermKind kind = TermKind::kInteger;
  // Of what is not a known number: a type that the value is known to be one of (the one it was
  // computed in, which widening does not change).
  hlo::ElementType type = hlo::ElementType::kPred;
  // Of numbers: stands for an unknown one, drawn at random. Whether it is, say, less than 5 must
  // not be believed.
  bool drawn = false;

  static Term integer(int64_t value) {
    return {static_cast<uint64_t>(value), 0, TermKind::kInteger, hlo::ElementType::kS64, false};
  }
  static Term real(double value) {
    return {bits_of(value), 0, TermKind::kReal, hlo::ElementType::kF64, false};
  }
  static Term complex(double real, double imaginary) {
    return {bits_of(real), bits_of(imaginary), TermKind::kComplex, hlo::ElementType::kC128, false};
  }
  static Term symbol(uint64_t fingerprint, hlo::ElementType type) {
    return {fingerprint, 0, TermKind::kSymbol, type, false};
  }

  bool is_number() const { return kind != TermKind::kSymbol; }
  bool is_known() const { return is_number() && !drawn; }
  int64_t as_integer() const { return static_cast<int64_t>(bits); }
  double as_real() const { return std::bit_cast<double>(bits); }
  double as_imaginary() const { return std::bit_cast<double>(imaginary); }
  // The type of a symbol, and how a number was come by, say what is known of it, not what it is.
  bool operator==(const Term& other) const {
    return bits == other.bits && imaginary == other.imaginary && kind == other.kind;
  }

 private:
  static uint64_t bits_of(double value) {
    return std::isnan(value) ? uint64_t{0x7ff8} << 48 : std::bit_cast<uint64_t>(value);
  }
};

// A bijection of 64-bit words that spreads every bit.
inline uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

// Order-sensitive combination.
inline uint64_t combine(uint64_t hash, uint64_t value) {
  return mix(std::rotl(hash, 23) * 0x9e3779b97f4a7c15 ^ mix(value + 0x632be59bd9b4e019));
}

// An integer and the float of the same value are one, as they are for a value-preserving convert;
// so are a float and the complex number of it.
inline uint64_t hash(const Term& term) {
  constexpr double kExact = 9007199254740992.0;
  if (term.kind == TermKind::kComplex) {
    uint64_t real = hash(Term::real(term.as_real()));
    return term.imaginary == 0 ? real : combine(real, term.imaginary);
  }
  if (term.kind == TermKind::kReal) {
    double value = term.as_real();
    bool minus_zero = value == 0 && std::signbit(value);
    if (std::fabs(value) <= kExact && std::trunc(value) == value && !minus_zero) {
      return hash(Term::integer(static_cast<int64_t>(value)));
    }
  }
  return mix(term.bits + 0xa0761d6478bd642f * (static_cast<uint64_t>(term.kind) + 1));
}

}  // namespace flipsat::verify
