#include "frontends/text/float_bits.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace flipsat::frontends {

using hlo::ElementType;
using hlo::FloatFormat;

namespace {

uint64_t exponent_mask(const FloatFormat& f) { return (uint64_t{1} << f.exponent_bits) - 1; }
uint64_t mantissa_mask(const FloatFormat& f) { return (uint64_t{1} << f.mantissa_bits) - 1; }
uint64_t magnitude_mask(const FloatFormat& f) {
  return exponent_mask(f) << f.mantissa_bits | mantissa_mask(f);
}
uint64_t sign_bit(const FloatFormat& f) {
  return f.is_signed ? uint64_t{1} << (f.exponent_bits + f.mantissa_bits) : 0;
}

// The bits of the one NaN that types without infinities have: all ones, or minus zero where the
// type has no other use for that.
uint64_t only_nan(const FloatFormat& f) {
  return f.is_signed && !f.has_negative_zero ? sign_bit(f) : magnitude_mask(f);
}

uint64_t largest_finite(const FloatFormat& f) {
  if (f.has_infinity) return (exponent_mask(f) << f.mantissa_bits) - 1;
  return f.has_nan && only_nan(f) == magnitude_mask(f) ? magnitude_mask(f) - 1 : magnitude_mask(f);
}

// Exponent and mantissa of a positive finite value, rounded to nearest, ties to even.
uint64_t rounded_magnitude(double value, const FloatFormat& f) {
  int exponent = 0;
  std::frexp(value, &exponent);  // value = m * 2^exponent with m in [0.5, 1)
  bool no_subnormals = f.mantissa_bits == 0;
  int least = no_subnormals ? -f.bias : 1 - f.bias;
  int lsb = std::max(exponent - 1, least) - f.mantissa_bits;
  double steps = std::nearbyint(std::ldexp(value, -lsb));  // default rounding: ties to even
  auto units = static_cast<uint64_t>(steps);
  if (no_subnormals) {
    // units is 1 or 2 (a carry), or 0 below half of the least value.
    return static_cast<uint64_t>(lsb + f.bias) + (units > 1 ? 1 : 0);
  }
  auto scale = static_cast<uint64_t>(std::max(exponent - 1, least) - least);
  // A carry out of the mantissa runs into the exponent as it should; subnormals have scale 0.
  return (scale << f.mantissa_bits) + units;
}

double decode(uint64_t bits, const FloatFormat& f) {
  uint64_t mantissa = bits & mantissa_mask(f);
  int exponent = static_cast<int>(bits >> f.mantissa_bits & exponent_mask(f));
  double sign = bits & sign_bit(f) ? -1.0 : 1.0;
  double unit = std::ldexp(1.0, -f.mantissa_bits);
  if (exponent == 0 && f.mantissa_bits > 0) return sign * std::ldexp(mantissa * unit, 1 - f.bias);
  return sign * std::ldexp(1.0 + mantissa * unit, exponent - f.bias);
}

template <typename Float>
std::string shortest(Float value) {
  std::array<char, 64> buffer;
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end);
}

std::string nan_text(uint64_t payload, bool negative, uint64_t usual) {
  std::string text = negative ? "-nan" : "nan";
  if (payload == usual) return text;
  std::array<char, 24> buffer;
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), payload, 16);
  return text + "(0x" + std::string(buffer.data(), end) + ")";
}

}  // namespace

std::optional<uint64_t> float_bits(double value, ElementType type) {
  if (type == ElementType::kF64) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  const FloatFormat f = *hlo::float_format(type);
  if (std::isnan(value)) {
    uint64_t usual = f.mantissa_bits > 0 ? uint64_t{1} << (f.mantissa_bits - 1) : 0;
    return nan_bits(f.has_infinity ? usual : mantissa_mask(f), std::signbit(value), type);
  }
  uint64_t sign = std::signbit(value) ? sign_bit(f) : 0;
  if (std::signbit(value) && !f.is_signed) return std::nullopt;
  if (std::isinf(value)) {
    if (!f.has_infinity) return std::nullopt;
    return sign | exponent_mask(f) << f.mantissa_bits;
  }
  if (value == 0) {
    if (f.mantissa_bits == 0) return std::nullopt;
    return f.has_negative_zero ? sign : 0;
  }
  uint64_t magnitude = rounded_magnitude(std::fabs(value), f);
  if (magnitude > largest_finite(f)) return std::nullopt;
  if (magnitude == 0 && !f.has_negative_zero) return 0;
  return sign | magnitude;
}

std::optional<uint64_t> nan_bits(uint64_t payload, bool negative, ElementType type) {
  const FloatFormat f = *hlo::float_format(type);
  if (!f.has_nan || payload > mantissa_mask(f)) return std::nullopt;
  if (!f.has_infinity) {
    if (payload != mantissa_mask(f)) return std::nullopt;
    uint64_t bits = only_nan(f);
    return negative && bits != sign_bit(f) ? bits | sign_bit(f) : bits;
  }
  if (payload == 0) return std::nullopt;
  return (negative ? sign_bit(f) : 0) | exponent_mask(f) << f.mantissa_bits | payload;
}

std::string float_text(uint64_t bits, ElementType type) {
  const FloatFormat f = *hlo::float_format(type);
  bool negative = bits & sign_bit(f);
  uint64_t magnitude = bits & magnitude_mask(f);
  if (f.has_infinity && magnitude >> f.mantissa_bits == exponent_mask(f)) {
    uint64_t payload = magnitude & mantissa_mask(f);
    if (payload == 0) return negative ? "-inf" : "inf";
    return nan_text(payload, negative, uint64_t{1} << (f.mantissa_bits - 1));
  }
  if (f.has_nan && !f.has_infinity) {
    if (only_nan(f) == sign_bit(f) && bits == sign_bit(f)) return "nan";
    if (only_nan(f) != sign_bit(f) && magnitude == only_nan(f)) return negative ? "-nan" : "nan";
  }
  if (type == ElementType::kF64) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return shortest(value);
  }
  double value = decode(bits, f);
  if (type == ElementType::kF32) return shortest(static_cast<float>(value));
  // The fewest digits that round to the same bits.
  for (int digits = 1; digits <= 12; ++digits) {
    std::array<char, 40> buffer;
    auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                      std::chars_format::general, digits);
    double read = 0;
    std::from_chars(buffer.data(), end, read);
    if (float_bits(read, type) == bits) return std::string(buffer.data(), end);
  }
  return shortest(value);
}

}  // namespace flipsat::frontends
