#include "hlo/element_type.h"

#include <array>

namespace flipsat::hlo {
namespace {

enum class Kind : uint8_t { kPred, kSigned, kUnsigned, kFloat, kComplex, kOther };

struct TypeRow {
  ElementType type;
  std::string_view name;
  Kind kind;
  int bits;
  FloatFormat format;
};

using T = ElementType;
constexpr TypeRow kTypes[] = {
    {T::kPred, "pred", Kind::kPred, 1, {}},
    {T::kS1, "s1", Kind::kSigned, 1, {}},
    {T::kS2, "s2", Kind::kSigned, 2, {}},
    {T::kS4, "s4", Kind::kSigned, 4, {}},
    {T::kS8, "s8", Kind::kSigned, 8, {}},
    {T::kS16, "s16", Kind::kSigned, 16, {}},
    {T::kS32, "s32", Kind::kSigned, 32, {}},
    {T::kS64, "s64", Kind::kSigned, 64, {}},
    {T::kU1, "u1", Kind::kUnsigned, 1, {}},
    {T::kU2, "u2", Kind::kUnsigned, 2, {}},
    {T::kU4, "u4", Kind::kUnsigned, 4, {}},
    {T::kU8, "u8", Kind::kUnsigned, 8, {}},
    {T::kU16, "u16", Kind::kUnsigned, 16, {}},
    {T::kU32, "u32", Kind::kUnsigned, 32, {}},
    {T::kU64, "u64", Kind::kUnsigned, 64, {}},
    // exponent bits, mantissa bits, bias, infinity, NaN, negative zero, signed
    {T::kF16, "f16", Kind::kFloat, 16, {5, 10, 15, true, true, true, true}},
    {T::kBF16, "bf16", Kind::kFloat, 16, {8, 7, 127, true, true, true, true}},
    {T::kF32, "f32", Kind::kFloat, 32, {8, 23, 127, true, true, true, true}},
    {T::kF64, "f64", Kind::kFloat, 64, {11, 52, 1023, true, true, true, true}},
    {T::kF8E5M2, "f8e5m2", Kind::kFloat, 8, {5, 2, 15, true, true, true, true}},
    {T::kF8E4M3, "f8e4m3", Kind::kFloat, 8, {4, 3, 7, true, true, true, true}},
    {T::kF8E4M3FN, "f8e4m3fn", Kind::kFloat, 8, {4, 3, 7, false, true, true, true}},
    {T::kF8E4M3B11FNUZ, "f8e4m3b11fnuz", Kind::kFloat, 8, {4, 3, 11, false, true, false, true}},
    {T::kF8E5M2FNUZ, "f8e5m2fnuz", Kind::kFloat, 8, {5, 2, 16, false, true, false, true}},
    {T::kF8E4M3FNUZ, "f8e4m3fnuz", Kind::kFloat, 8, {4, 3, 8, false, true, false, true}},
    {T::kF8E3M4, "f8e3m4", Kind::kFloat, 8, {3, 4, 3, true, true, true, true}},
    {T::kF8E8M0FNU, "f8e8m0fnu", Kind::kFloat, 8, {8, 0, 127, false, true, false, false}},
    {T::kF4E2M1FN, "f4e2m1fn", Kind::kFloat, 4, {2, 1, 1, false, false, true, true}},
    {T::kF6E3M2FN, "f6e3m2fn", Kind::kFloat, 6, {3, 2, 3, false, false, true, true}},
    {T::kF6E2M3FN, "f6e2m3fn", Kind::kFloat, 6, {2, 3, 1, false, false, true, true}},
    {T::kC64, "c64", Kind::kComplex, 64, {}},
    {T::kC128, "c128", Kind::kComplex, 128, {}},
    {T::kTuple, "tuple", Kind::kOther, 0, {}},
    {T::kOpaque, "opaque", Kind::kOther, 0, {}},
    {T::kToken, "token", Kind::kOther, 0, {}},
    {T::kBuffer, "b", Kind::kOther, 0, {}},
};

const TypeRow& row(ElementType type) {
  static const auto index = [] {
    std::array<uint8_t, 64> by_type{};
    for (size_t i = 0; i < std::size(kTypes); ++i) {
      by_type[static_cast<size_t>(kTypes[i].type)] = static_cast<uint8_t>(i);
    }
    return by_type;
  }();
  return kTypes[index[static_cast<size_t>(type)]];
}

// Bits of magnitude of an integer type (its sign excluded).
int magnitude_bits(const TypeRow& type) {
  return type.kind == Kind::kSigned ? type.bits - 1 : type.bits;
}

int smallest_exponent(const FloatFormat& f) { return 1 - f.bias - f.mantissa_bits; }

// Exponent of the largest finite value.
int largest_exponent(ElementType type, const FloatFormat& f) {
  int top = (1 << f.exponent_bits) - 1 - f.bias;
  if (f.has_infinity) return top - 1;  // the all-ones exponent is infinity and NaN
  if (type == ElementType::kF8E8M0FNU) return top - 1;
  return top;
}

bool float_embeds(const TypeRow& from, const TypeRow& to) {
  const FloatFormat& a = from.format;
  const FloatFormat& b = to.format;
  return a.mantissa_bits <= b.mantissa_bits && smallest_exponent(b) <= smallest_exponent(a) &&
         largest_exponent(from.type, a) <= largest_exponent(to.type, b) &&
         a.has_infinity <= b.has_infinity && a.has_nan <= b.has_nan &&
         a.has_negative_zero <= b.has_negative_zero && a.is_signed <= b.is_signed &&
         // A zero must exist on the other side where the source has one.
         (to.type != ElementType::kF8E8M0FNU || from.type == ElementType::kF8E8M0FNU);
}

// The largest exponent has no full set of mantissas in types that spend some of its codes on NaN,
// so an integer of exactly that exponent may not fit.
bool integer_fits_float(const TypeRow& from, const TypeRow& to) {
  if (to.type == ElementType::kF8E8M0FNU) return false;
  int bits = magnitude_bits(from);
  int top = largest_exponent(to.type, to.format);
  if (!to.format.has_infinity) --top;
  // A signed type also holds -2^bits, whose exponent is one more.
  int exponent = from.kind == Kind::kSigned ? bits : bits - 1;
  return bits <= to.format.mantissa_bits + 1 && exponent <= top;
}

}  // namespace

std::string_view to_string(ElementType type) { return row(type).name; }

std::optional<ElementType> element_type_from_string(std::string_view spelling) {
  for (const TypeRow& type : kTypes) {
    if (type.name == spelling) return type.type;
  }
  return std::nullopt;
}

bool is_array_type(ElementType type) { return row(type).kind != Kind::kOther; }
bool is_float(ElementType type) { return row(type).kind == Kind::kFloat; }
bool is_complex(ElementType type) { return row(type).kind == Kind::kComplex; }
bool is_signed_integer(ElementType type) { return row(type).kind == Kind::kSigned; }
bool is_unsigned_integer(ElementType type) { return row(type).kind == Kind::kUnsigned; }
bool is_integer(ElementType type) { return is_signed_integer(type) || is_unsigned_integer(type); }

std::optional<FloatFormat> float_format(ElementType type) {
  if (!is_float(type)) return std::nullopt;
  return row(type).format;
}

int bit_width(ElementType type) { return row(type).bits; }
int byte_width(ElementType type) { return (bit_width(type) + 7) / 8; }

bool convert_preserves_values(ElementType from_type, ElementType to_type) {
  if (from_type == to_type) return true;
  const TypeRow& from = row(from_type);
  const TypeRow& to = row(to_type);
  if (from.kind == Kind::kOther || to.kind == Kind::kOther || to.kind == Kind::kPred) return false;
  if (to.kind == Kind::kComplex) {
    ElementType part = to_type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
    if (from.kind == Kind::kComplex) return from.bits <= to.bits;
    return convert_preserves_values(from_type, part);
  }
  if (from.kind == Kind::kComplex) return false;
  if (from.kind == Kind::kFloat) return to.kind == Kind::kFloat && float_embeds(from, to);
  if (from.kind == Kind::kPred) return to.type != ElementType::kS1 && to.type != T::kF8E8M0FNU;
  if (to.kind == Kind::kFloat) return integer_fits_float(from, to);
  if (from.kind == Kind::kSigned && to.kind == Kind::kUnsigned) return false;
  return magnitude_bits(from) <= magnitude_bits(to);
}

}  // namespace flipsat::hlo
