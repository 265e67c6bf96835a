// Element types of HLO arrays: widths, kinds, and which converts lose nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flipsat::hlo {

// The numbers are those of HLO protos (PrimitiveType).
enum class ElementType : uint8_t {
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kTuple = 13,
  kOpaque = 14,
  kC64 = 15,
  kBF16 = 16,
  kToken = 17,
  kC128 = 18,
  kF8E5M2 = 19,
  kF8E4M3FN = 20,
  kS4 = 21,
  kU4 = 22,
  kF8E4M3B11FNUZ = 23,
  kF8E5M2FNUZ = 24,
  kF8E4M3FNUZ = 25,
  kS2 = 26,
  kU2 = 27,
  kF8E4M3 = 28,
  kF8E3M4 = 29,
  kS1 = 30,
  kU1 = 31,
  kF4E2M1FN = 32,
  kF8E8M0FNU = 33,
  kBuffer = 34,
  kF6E3M2FN = 35,
  kF6E2M3FN = 36,
};

std::string_view to_string(ElementType type);
std::optional<ElementType> element_type_from_string(std::string_view spelling);

// How a binary floating-point type lays out its values. Subnormals exist in all but f8e8m0fnu.
struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;  // stored, without the implicit leading one
  int bias = 0;
  bool has_infinity = false;
  bool has_nan = false;
  bool has_negative_zero = false;
  bool is_signed = true;
};

bool is_array_type(ElementType type);  // not tuple, opaque, token, buffer
bool is_float(ElementType type);
bool is_complex(ElementType type);
bool is_signed_integer(ElementType type);
bool is_unsigned_integer(ElementType type);
bool is_integer(ElementType type);  // signed or unsigned, pred excluded

// Format of a floating-point type; nullopt for every other type.
std::optional<FloatFormat> float_format(ElementType type);

// Bits that a value needs (pred 1, s4 4, f6 kinds 6, c64 64); 0 for types without a size.
int bit_width(ElementType type);
// Bytes of one element in an unpacked array: ceil(width / 8).
int byte_width(ElementType type);

// True when every value of `from` is a value of `to`, so that from -> to -> from is the identity
// and the convert itself does not round. Signed zeros, infinities and NaN count.
bool convert_preserves_values(ElementType from, ElementType to);

}  // namespace flipsat::hlo
