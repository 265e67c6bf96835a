#include "hlo/literal.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace flipsat::hlo {
namespace {

double decode(uint64_t bits, const FloatFormat& f) {
  uint64_t mantissa = bits & ((1u << f.mantissa_bits) - 1);
  int exponent = static_cast<int>(bits >> f.mantissa_bits & ((1u << f.exponent_bits) - 1));
  double sign = bits >> (f.mantissa_bits + f.exponent_bits) & 1 ? -1.0 : 1.0;
  if (f.has_infinity && exponent == (1 << f.exponent_bits) - 1) {
    return mantissa == 0 ? sign * INFINITY : NAN;
  }
  double scale = 1ull << f.mantissa_bits;
  if (exponent == 0) return sign * std::ldexp(mantissa / scale, 1 - f.bias);
  return sign * std::ldexp(1.0 + mantissa / scale, exponent - f.bias);
}

}  // namespace

std::optional<uint64_t> Literal::bits_at(int64_t index) const {
  if (elided || !shape.is_array() || is_complex(shape.type)) return std::nullopt;
  size_t width = byte_width(shape.type);
  if (index < 0 || (static_cast<size_t>(index) + 1) * width > bytes.size()) return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * width, width);
  return bits;
}

std::optional<int64_t> Literal::integer_at(int64_t index) const {
  if (shape.type != ElementType::kPred && !is_integer(shape.type)) return std::nullopt;
  std::optional<uint64_t> bits = bits_at(index);
  if (!bits) return std::nullopt;
  if (!is_signed_integer(shape.type)) return static_cast<int64_t>(*bits);
  int shift = 64 - 8 * byte_width(shape.type);
  return static_cast<int64_t>(*bits << shift) >> shift;
}

std::optional<double> Literal::float_at(int64_t index) const {
  std::optional<uint64_t> bits = bits_at(index);
  if (!bits) return std::nullopt;
  switch (shape.type) {
    case ElementType::kF64: {
      double value;
      std::memcpy(&value, &*bits, sizeof value);
      return value;
    }
    case ElementType::kF32: {
      float value;
      uint32_t low = static_cast<uint32_t>(*bits);
      std::memcpy(&value, &low, sizeof value);
      return value;
    }
    case ElementType::kF16:
    case ElementType::kBF16:
      return decode(*bits, *float_format(shape.type));
    default:
      return std::nullopt;
  }
}

bool Literal::operator==(const Literal& other) const {
  if (this == &other) return true;
  if (elided || other.elided) return false;
  if (!shape.same_value_shape(other.shape) || bytes != other.bytes) return false;
  if (parts.size() != other.parts.size()) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!(*parts[i] == *other.parts[i])) return false;
  }
  return true;
}

LiteralRef integer_scalar(ElementType type, int64_t value) {
  auto literal = std::make_shared<Literal>();
  literal->shape = Shape::array(type, {});
  literal->bytes.resize(byte_width(type));
  std::memcpy(literal->bytes.data(), &value, literal->bytes.size());
  return literal;
}

LiteralRef exact_scalar(ElementType type, int64_t value) {
  std::optional<FloatFormat> format = float_format(type);
  if (!format) {
    if (type == ElementType::kPred && (value < 0 || value > 1)) return nullptr;
    if (type != ElementType::kPred && !is_integer(type)) return nullptr;
    LiteralRef literal = integer_scalar(type, value);
    return literal->integer_at(0) == value ? literal : nullptr;
  }
  const bool is_negative = value < 0;
  if (is_negative && !format->is_signed) return nullptr;
  uint64_t bits = 0;
  if (value == 0) {
    // Zero is all bits off, where there is a zero.
    if (format->mantissa_bits == 0) return nullptr;
  } else {
    const uint64_t magnitude =
        is_negative ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    const int exponent = std::bit_width(magnitude) - 1;
    const int shift = format->mantissa_bits - exponent;
    const uint64_t mantissa = shift >= 0 ? magnitude << shift : magnitude >> -shift;
    if (shift < 0 && mantissa << -shift != magnitude) return nullptr;
    // The largest exponent may stand for infinity or hold a NaN.
    const int largest = (1 << format->exponent_bits) - (format->has_nan ? 2 : 1);
    const int biased = exponent + format->bias;
    if (biased < 1 || biased > largest) return nullptr;
    bits = static_cast<uint64_t>(biased) << format->mantissa_bits |
           (mantissa & ((uint64_t{1} << format->mantissa_bits) - 1));
  }
  if (is_negative) bits |= uint64_t{1} << (format->exponent_bits + format->mantissa_bits);
  auto literal = std::make_shared<Literal>();
  literal->shape = Shape::array(type, {});
  literal->bytes.resize(byte_width(type));
  std::memcpy(literal->bytes.data(), &bits, literal->bytes.size());
  return literal;
}

}  // namespace flipsat::hlo
