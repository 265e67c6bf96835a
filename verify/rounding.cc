#include "verify/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace flipsat::verify {
namespace {

using hlo::ElementType;

// The largest finite value: types that spend the top code on NaN lose one mantissa step.
double largest_finite(ElementType type, const hlo::FloatFormat& f) {
  if (type == ElementType::kF64) return std::numeric_limits<double>::max();
  int top = (1 << f.exponent_bits) - 1 - f.bias;
  double step = std::ldexp(1.0, -f.mantissa_bits);
  if (f.has_infinity) return std::ldexp(2.0 - step, top - 1);
  // A type without infinity but with NaN and negative zero keeps NaN in its last code (f8e4m3fn);
  // those without negative zero keep it in the code of -0; f8e8m0fnu has no mantissa at all.
  if (type == ElementType::kF8E8M0FNU) return std::ldexp(1.0, top - 1);
  if (f.has_nan && f.has_negative_zero) return std::ldexp(2.0 - 2 * step, top);
  return std::ldexp(2.0 - step, top);
}

double saturated_range_low(ElementType type) {
  return hlo::is_signed_integer(type) ? -std::ldexp(1.0, hlo::bit_width(type) - 1) : 0.0;
}

double range_end(ElementType type) {
  return std::ldexp(1.0, hlo::bit_width(type) - (hlo::is_signed_integer(type) ? 1 : 0));
}

int64_t real_to_integer(double value, ElementType to) {
  if (std::isnan(value)) return 0;
  double whole = std::trunc(value);
  int width = hlo::bit_width(to);
  if (whole <= saturated_range_low(to)) {
    return hlo::is_signed_integer(to) ? -1 - static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1)
                                      : 0;
  }
  if (whole >= range_end(to)) {
    uint64_t all = ~uint64_t{0} >> (64 - width);
    return wrap(static_cast<int64_t>(hlo::is_signed_integer(to) ? all >> 1 : all), to);
  }
  return whole < 0 ? static_cast<int64_t>(whole)
                   : static_cast<int64_t>(static_cast<uint64_t>(whole));
}

// Values of a float type in order, as integers (both zeros are 0).
int64_t ordinal(double value, ElementType type) {
  hlo::FloatFormat f = *hlo::float_format(type);
  double magnitude = std::fabs(value);
  int64_t rank = 0;
  if (std::isinf(magnitude)) {
    rank = ordinal(largest_finite(type, f), type) + 1;
  } else if (magnitude > 0) {
    int smallest = 1 - f.bias;
    int exponent = std::max(std::ilogb(magnitude), smallest);
    int64_t mantissa = static_cast<int64_t>(std::ldexp(magnitude, f.mantissa_bits - exponent));
    rank = (static_cast<int64_t>(exponent - smallest) << f.mantissa_bits) + mantissa;
  }
  return std::signbit(value) ? -rank : rank;
}

}  // namespace

int64_t wrap(int64_t value, ElementType type) {
  if (type == ElementType::kPred) return value & 1;
  int shift = 64 - hlo::bit_width(type);
  uint64_t high = static_cast<uint64_t>(value) << shift;
  if (!hlo::is_signed_integer(type)) return static_cast<int64_t>(high >> shift);
  return static_cast<int64_t>(high) >> shift;
}

double round_to(double value, ElementType type) {
  if (type == ElementType::kF64) return value;
  if (type == ElementType::kF32) return static_cast<double>(static_cast<float>(value));
  hlo::FloatFormat f = *hlo::float_format(type);
  if (!f.is_signed && !(value > 0)) return NAN;
  if (std::isnan(value)) return f.has_nan ? value : -0.0;
  double magnitude = std::fabs(value);
  double overflow = f.has_infinity ? INFINITY : f.has_nan ? NAN : largest_finite(type, f);
  if (std::isinf(value)) return std::copysign(overflow, value);
  double rounded = magnitude;
  if (magnitude > 0) {
    int smallest = f.is_signed ? 1 - f.bias : -f.bias;
    int exponent = std::max(std::ilogb(magnitude), smallest);
    // The default rounding mode ties to even.
    double steps = std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
    if (!f.is_signed) steps = std::max(steps, 1.0);
    rounded = std::ldexp(steps, exponent - f.mantissa_bits);
  }
  if (rounded > largest_finite(type, f)) rounded = overflow;
  if (rounded == 0 && !f.has_negative_zero) return 0;
  return std::copysign(rounded, value);
}

double round_integer_to(int64_t value, bool is_unsigned, ElementType type) {
  bool negative = !is_unsigned && value < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (type == ElementType::kF64) {
    double rounded = static_cast<double>(magnitude);
    return negative ? -rounded : rounded;
  }
  // A double holds 53 bits; one more stands for all that are cut off, so that no tie is made.
  constexpr uint64_t kCut = 11;
  uint64_t rest = magnitude & ((uint64_t{1} << kCut) - 1);
  double exact = magnitude >> 53 == 0
                     ? static_cast<double>(magnitude)
                     : std::ldexp(static_cast<double>(magnitude >> kCut | (rest != 0)), kCut);
  return round_to(negative ? -exact : exact, type);
}

bool in_integer_range(double value, ElementType type) {
  double whole = std::trunc(value);  // NaN is in no range
  return whole >= saturated_range_low(type) && whole < range_end(type);
}

bool representable(const Term& number, ElementType type) {
  if (number.kind == TermKind::kComplex) {
    if (number.imaginary != 0 && !hlo::is_complex(type)) return false;
    Term real = Term::real(number.as_real());
    if (!hlo::is_complex(type)) return representable(real, type);
    Term imaginary = Term::real(number.as_imaginary());
    return representable(real, part_type(type)) && representable(imaginary, part_type(type));
  }
  if (hlo::is_complex(type)) return representable(number, part_type(type));
  if (number.kind == TermKind::kInteger) {
    if (hlo::is_float(type)) {
      double value = static_cast<double>(number.as_integer());
      return std::fabs(value) < 9e15 && round_to(value, type) == value;
    }
    return wrap(number.as_integer(), type) == number.as_integer();
  }
  if (hlo::is_float(type)) return Term::real(round_to(number.as_real(), type)) == number;
  return in_integer_range(number.as_real(), type) &&
         Term::real(static_cast<double>(real_to_integer(number.as_real(), type))) == number;
}

double decode_float(uint64_t bits, ElementType type) {
  if (type == ElementType::kF64) return std::bit_cast<double>(bits);
  hlo::FloatFormat f = *hlo::float_format(type);
  uint64_t mantissa = bits & ((uint64_t{1} << f.mantissa_bits) - 1);
  int exponent = static_cast<int>(bits >> f.mantissa_bits & ((1u << f.exponent_bits) - 1));
  bool negative = f.is_signed && (bits >> (f.mantissa_bits + f.exponent_bits) & 1);
  double sign = negative ? -1.0 : 1.0;
  int top = (1 << f.exponent_bits) - 1;
  if (f.has_infinity && exponent == top) return mantissa == 0 ? sign * INFINITY : NAN;
  if (f.has_nan && !f.has_infinity) {
    bool all_ones = exponent == top && mantissa == (uint64_t{1} << f.mantissa_bits) - 1;
    bool minus_zero = negative && exponent == 0 && mantissa == 0;
    if (f.has_negative_zero || !f.is_signed ? all_ones : minus_zero) return NAN;
  }
  double scale = std::ldexp(1.0, f.mantissa_bits);
  // f8e8m0fnu has neither zero nor subnormals.
  if (exponent == 0 && f.is_signed) return sign * std::ldexp(mantissa / scale, 1 - f.bias);
  return sign * std::ldexp(1.0 + mantissa / scale, exponent - f.bias);
}

uint64_t encode_float(double value, ElementType type) {
  if (type == ElementType::kF64) return std::bit_cast<uint64_t>(value);
  hlo::FloatFormat f = *hlo::float_format(type);
  uint64_t sign = uint64_t{1} << (f.mantissa_bits + f.exponent_bits);
  uint64_t top = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
  uint64_t quiet = f.mantissa_bits > 0 ? uint64_t{1} << (f.mantissa_bits - 1) : 0;
  if (std::isnan(value)) {
    if (f.has_infinity) return top | quiet;
    bool in_last_code = f.has_negative_zero || !f.is_signed;
    return in_last_code ? top | ((uint64_t{1} << f.mantissa_bits) - 1) : sign;
  }
  uint64_t bits = std::signbit(value) ? sign : 0;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return bits | top;
  if (magnitude == 0) return bits;
  int smallest = f.is_signed ? 1 - f.bias : -f.bias;
  int exponent = std::max(std::ilogb(magnitude), smallest);
  auto mantissa = static_cast<uint64_t>(std::ldexp(magnitude, f.mantissa_bits - exponent));
  // The implicit one, where there is one, adds to the exponent below it.
  uint64_t below = static_cast<uint64_t>(exponent + f.bias - 1);
  if (!f.is_signed) return static_cast<uint64_t>(exponent + f.bias);
  return bits | ((below << f.mantissa_bits) + mantissa);
}

int64_t ulps_between(double a, double b, ElementType type) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<int64_t>::max();
  }
  int64_t from = ordinal(a, type);
  int64_t to = ordinal(b, type);
  uint64_t distance = from < to ? static_cast<uint64_t>(to) - static_cast<uint64_t>(from)
                                : static_cast<uint64_t>(from) - static_cast<uint64_t>(to);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() - 1;
  return distance > static_cast<uint64_t>(kMost) ? kMost : static_cast<int64_t>(distance);
}

Term convert_number(const Term& number, ElementType from, ElementType to) {
  if (hlo::is_complex(to)) {
    ElementType part = part_type(to);
    if (number.kind != TermKind::kComplex) {
      return Term::complex(convert_number(number, from, part).as_real(), 0);
    }
    return Term::complex(round_to(number.as_real(), part), round_to(number.as_imaginary(), part));
  }
  bool from_integer = number.kind == TermKind::kInteger;
  if (to == ElementType::kPred) {
    bool nonzero = from_integer ? number.bits != 0 : number.as_real() != 0;
    return Term::integer(nonzero ? 1 : 0);
  }
  if (hlo::is_float(to)) {
    if (!from_integer) return Term::real(round_to(number.as_real(), to));
    return Term::real(round_integer_to(number.as_integer(), from == ElementType::kU64, to));
  }
  if (from_integer) return Term::integer(wrap(number.as_integer(), to));
  return Term::integer(real_to_integer(number.as_real(), to));
}

Term zero_of(ElementType type) {
  if (hlo::is_complex(type)) return Term::complex(0, 0);
  return hlo::is_float(type) ? Term::real(decode_float(0, type)) : Term::integer(0);
}

ElementType part_type(ElementType complex_type) {
  return complex_type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
}

Term literal_element(const hlo::Literal& literal, int64_t index) {
  ElementType type = literal.shape.type;
  if (hlo::is_complex(type)) {
    size_t width = hlo::byte_width(type) / 2;
    double parts[2];
    for (size_t i = 0; i < 2; ++i) {
      uint64_t bits = 0;
      size_t at = (2 * static_cast<size_t>(index) + i) * width;
      if (at + width > literal.bytes.size()) {
        throw std::logic_error("a constant without element " + std::to_string(index));
      }
      std::memcpy(&bits, literal.bytes.data() + at, width);
      parts[i] = decode_float(bits, part_type(type));
    }
    return Term::complex(parts[0], parts[1]);
  }
  if (hlo::is_float(type)) {
    if (auto bits = literal.bits_at(index)) return Term::real(decode_float(*bits, type));
  } else if (auto value = literal.integer_at(index)) {
    return Term::integer(wrap(*value, type));
  }
  throw std::logic_error("a constant without element " + std::to_string(index));
}

}  // namespace flipsat::verify
