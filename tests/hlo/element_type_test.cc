#include "hlo/element_type.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

// A value of any small type: a number, with -0, the infinities and NaN apart.
using Value = std::pair<std::string, double>;

Value plain(double number) {
  if (std::isnan(number)) return {"nan", 0};
  if (number == 0) return {std::signbit(number) ? "-0" : "0", 0};
  return {"number", number};
}

// The value of a bit pattern, by the published tables of the formats (OCP MX and FP8, IEEE 754, and
// the ML dtypes of fnuz kind).
double decode(ElementType type, unsigned bits) {
  FloatFormat f = *float_format(type);
  int width = bit_width(type);
  unsigned mantissa = bits & ((1u << f.mantissa_bits) - 1);
  int exponent = static_cast<int>(bits >> f.mantissa_bits & ((1u << f.exponent_bits) - 1));
  bool negative = f.is_signed && (bits >> (width - 1) & 1);
  if (type == ElementType::kF8E8M0FNU) return bits == 0xFF ? NAN : std::ldexp(1.0, exponent - 127);
  bool all_ones = exponent == (1 << f.exponent_bits) - 1;
  if (f.has_infinity && all_ones) return mantissa ? NAN : (negative ? -INFINITY : INFINITY);
  if (type == ElementType::kF8E4M3FN && (bits & 0x7F) == 0x7F) return NAN;
  if (!f.has_infinity && f.has_nan && !f.has_negative_zero && bits == 0x80) return NAN;
  double magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits)
                                   : std::ldexp((1 << f.mantissa_bits) + mantissa,
                                                exponent - f.bias - f.mantissa_bits);
  return negative ? -magnitude : magnitude;
}

std::set<Value> values_of(ElementType type) {
  std::set<Value> values;
  int width = bit_width(type);
  for (unsigned bits = 0; bits < 1u << width; ++bits) {
    if (is_float(type)) {
      values.insert(plain(decode(type, bits)));
    } else if (is_signed_integer(type)) {
      values.insert(plain(static_cast<double>(bits) - std::ldexp(1.0, width - 1)));
    } else {
      values.insert(plain(bits));
    }
  }
  return values;
}

TEST_CASE("value-preserving converts: exactly the inclusions of the sets of values") {
  std::vector<std::pair<ElementType, std::set<Value>>> types;
  for (int number = 1; number <= 36; ++number) {
    ElementType type = static_cast<ElementType>(number);
    if (!is_array_type(type) || bit_width(type) > 16) continue;
    types.emplace_back(type, values_of(type));
  }
  REQUIRE(types.size() == 24);
  for (const auto& [from, small] : types) {
    for (const auto& [to, large] : types) {
      // A convert to pred asks `!= 0`, whatever the values.
      if (to == ElementType::kPred && from != to) continue;
      bool included = std::includes(large.begin(), large.end(), small.begin(), small.end());
      INFO(to_string(from) << " to " << to_string(to));
      CHECK(convert_preserves_values(from, to) == included);
    }
  }
}

TEST_CASE("value-preserving converts: wide types by their mantissas") {
  using T = ElementType;
  CHECK(convert_preserves_values(T::kBF16, T::kF32));
  CHECK(convert_preserves_values(T::kF32, T::kF64));
  CHECK_FALSE(convert_preserves_values(T::kF64, T::kF32));
  CHECK(convert_preserves_values(T::kS32, T::kF64));
  CHECK_FALSE(convert_preserves_values(T::kS32, T::kF32));
  CHECK_FALSE(convert_preserves_values(T::kS64, T::kF64));
  CHECK_FALSE(convert_preserves_values(T::kF32, T::kS64));
  CHECK_FALSE(convert_preserves_values(T::kS32, T::kU64));
  CHECK(convert_preserves_values(T::kU32, T::kS64));
  CHECK(convert_preserves_values(T::kF32, T::kC64));
  CHECK_FALSE(convert_preserves_values(T::kC64, T::kF32));
}

}  // namespace
}  // namespace flipsat::hlo
