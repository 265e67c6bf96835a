#include "hlo/integer_arithmetic.h"

#include <bit>
#include <limits>

namespace flipsat::hlo {
namespace {

uint64_t low_bits(int64_t value, int width) {
  return width == 64 ? static_cast<uint64_t>(value)
                     : static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1);
}

std::optional<int64_t> divide(Opcode opcode, ElementType type, int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  bool wants_quotient = opcode == Opcode::kDivide;
  if (!is_signed_integer(type)) {
    uint64_t x = static_cast<uint64_t>(a);
    uint64_t y = static_cast<uint64_t>(b);
    return static_cast<int64_t>(wants_quotient ? x / y : x % y);
  }
  if (b == -1 && a == wrap_integer(type, int64_t{1} << (bit_width(type) - 1))) return std::nullopt;
  return wants_quotient ? a / b : a % b;
}

std::optional<int64_t> shift(Opcode opcode, ElementType type, int64_t a, int64_t by) {
  int width = bit_width(type);
  if (by < 0 || by >= width) return std::nullopt;
  uint64_t bits = low_bits(a, width);
  switch (opcode) {
    case Opcode::kShiftLeft:
      return wrap_integer(type, static_cast<int64_t>(bits << by));
    case Opcode::kShiftRightLogical:
      return wrap_integer(type, static_cast<int64_t>(bits >> by));
    default: {
      int64_t sign_extended = static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
      return wrap_integer(type, sign_extended >> by);
    }
  }
}

}  // namespace

int64_t wrap_integer(ElementType type, int64_t bits) {
  if (type == ElementType::kPred) return bits & 1;
  int unused = 64 - bit_width(type);
  uint64_t shifted = static_cast<uint64_t>(bits) << unused;
  return is_signed_integer(type) ? static_cast<int64_t>(shifted) >> unused
                                 : static_cast<int64_t>(shifted >> unused);
}

int64_t convert_integer(ElementType to, int64_t value) {
  return to == ElementType::kPred ? value != 0 : wrap_integer(to, value);
}

bool less_integer(ElementType type, int64_t a, int64_t b) {
  return is_signed_integer(type) ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
}

std::optional<bool> compare_integer(std::string_view direction, ElementType type, int64_t a,
                                    int64_t b) {
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return less_integer(type, a, b);
  if (direction == "GT") return less_integer(type, b, a);
  if (direction == "LE") return !less_integer(type, b, a);
  if (direction == "GE") return !less_integer(type, a, b);
  return std::nullopt;
}

std::optional<int64_t> apply_integer(Opcode opcode, ElementType type, int64_t a) {
  uint64_t bits = low_bits(a, bit_width(type));
  switch (opcode) {
    case Opcode::kNot:
      return wrap_integer(type, ~a);
    case Opcode::kNegate:
      return wrap_integer(type, static_cast<int64_t>(0 - static_cast<uint64_t>(a)));
    case Opcode::kAbs:
      return is_signed_integer(type) && a < 0 ? apply_integer(Opcode::kNegate, type, a) : a;
    case Opcode::kSign:
      return is_signed_integer(type) ? (a > 0) - (a < 0) : a != 0;
    case Opcode::kPopcnt:
      return wrap_integer(type, std::popcount(bits));
    case Opcode::kCountLeadingZeros:
      return wrap_integer(type, std::countl_zero(bits) - (64 - bit_width(type)));
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> apply_integer(Opcode opcode, ElementType type, int64_t a, int64_t b) {
  uint64_t x = static_cast<uint64_t>(a);
  uint64_t y = static_cast<uint64_t>(b);
  bool is_pred = type == ElementType::kPred;
  switch (opcode) {
    case Opcode::kAnd:
      return a & b;
    case Opcode::kOr:
      return a | b;
    case Opcode::kXor:
      return a ^ b;
    case Opcode::kMinimum:
      return less_integer(type, b, a) ? b : a;
    case Opcode::kMaximum:
      return less_integer(type, a, b) ? b : a;
    default:
      break;
  }
  if (is_pred) return std::nullopt;
  switch (opcode) {
    case Opcode::kAdd:
      return wrap_integer(type, static_cast<int64_t>(x + y));
    case Opcode::kSubtract:
      return wrap_integer(type, static_cast<int64_t>(x - y));
    case Opcode::kMultiply:
      return wrap_integer(type, static_cast<int64_t>(x * y));
    case Opcode::kDivide:
    case Opcode::kRemainder:
      return divide(opcode, type, a, b);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightLogical:
    case Opcode::kShiftRightArithmetic:
      return shift(opcode, type, a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace flipsat::hlo
