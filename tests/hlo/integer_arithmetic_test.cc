#include "hlo/integer_arithmetic.h"

#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

// All pairs of 8-bit values, against the machine's own 8-bit arithmetic.
template <typename Native>
void check_all(ElementType type) {
  for (int x = 0; x < 256; ++x) {
    for (int y = 0; y < 256; ++y) {
      Native a = static_cast<Native>(x);
      Native b = static_cast<Native>(y);
      auto native = [](int value) { return std::optional<int64_t>(static_cast<Native>(value)); };
      auto result = [&](Opcode opcode) { return apply_integer(opcode, type, a, b); };
      bool right =
          result(Opcode::kAdd) == native(a + b) && result(Opcode::kSubtract) == native(a - b) &&
          result(Opcode::kMultiply) == native(a * b) && result(Opcode::kAnd) == native(a & b) &&
          result(Opcode::kOr) == native(a | b) && result(Opcode::kXor) == native(a ^ b) &&
          result(Opcode::kMinimum) == native(a < b ? a : b) &&
          result(Opcode::kMaximum) == native(a < b ? b : a);
      bool quotient_is_open = b == 0 || a / b != static_cast<Native>(a / b);
      right = right && result(Opcode::kDivide) ==
                           (quotient_is_open ? std::optional<int64_t>() : native(a / b));
      right = right && result(Opcode::kRemainder) ==
                           (quotient_is_open ? std::optional<int64_t>() : native(a % b));
      bool shift_is_open = b < 0 || b >= 8;
      auto shifted = [&](int value) {
        return shift_is_open ? std::optional<int64_t>() : native(value);
      };
      int by = shift_is_open ? 0 : b;
      right = right && result(Opcode::kShiftLeft) == shifted(a << by);
      right = right && result(Opcode::kShiftRightLogical) == shifted((x & 255) >> by);
      right =
          right && result(Opcode::kShiftRightArithmetic) == shifted(static_cast<int8_t>(a) >> by);
      right = right && compare_integer("LT", type, a, b) == (a < b) &&
              compare_integer("LE", type, a, b) == (a <= b) &&
              compare_integer("GT", type, a, b) == (a > b) &&
              compare_integer("GE", type, a, b) == (a >= b) &&
              compare_integer("EQ", type, a, b) == (a == b) &&
              compare_integer("NE", type, a, b) == (a != b);
      if (!right) FAIL("operands " << int{a} << " and " << int{b});
    }
    Native a = static_cast<Native>(x);
    CHECK(apply_integer(Opcode::kNot, type, a) == static_cast<Native>(~a));
    CHECK(apply_integer(Opcode::kNegate, type, a) == static_cast<Native>(-a));
    CHECK(apply_integer(Opcode::kAbs, type, a) == static_cast<Native>(a < 0 ? -a : a));
    CHECK(apply_integer(Opcode::kPopcnt, type, a) == __builtin_popcount(x));
    CHECK(apply_integer(Opcode::kCountLeadingZeros, type, a) ==
          (x == 0 ? 8 : __builtin_clz(x) - 24));
    CHECK(apply_integer(Opcode::kSign, type, a) == (a > 0) - (a < 0));
  }
}

TEST_CASE("integer arithmetic: all of s8 and u8") {
  check_all<int8_t>(ElementType::kS8);
  check_all<uint8_t>(ElementType::kU8);
}

TEST_CASE("integer arithmetic: u64 past the signed range is large, not negative") {
  CHECK(less_integer(ElementType::kU64, 1, -1));
  CHECK(apply_integer(Opcode::kDivide, ElementType::kU64, -1, 2) == INT64_MAX);
  CHECK(apply_integer(Opcode::kMaximum, ElementType::kU64, -1, 5) == -1);
}

TEST_CASE("integer arithmetic: converts wrap to the width and ask pred for non-zero") {
  CHECK(convert_integer(ElementType::kS8, 200) == -56);
  CHECK(convert_integer(ElementType::kU8, -1) == 255);
  CHECK(convert_integer(ElementType::kU32, -1) == 4294967295);
  CHECK(convert_integer(ElementType::kS4, 9) == -7);
  CHECK(convert_integer(ElementType::kPred, 256) == 1);
  CHECK(wrap_integer(ElementType::kU64, -3) == -3);
}

TEST_CASE("integer arithmetic: sums of pred are left alone") {
  CHECK_FALSE(apply_integer(Opcode::kAdd, ElementType::kPred, 1, 1));
  CHECK(apply_integer(Opcode::kNot, ElementType::kPred, 1) == 0);
  CHECK(apply_integer(Opcode::kXor, ElementType::kPred, 1, 1) == 0);
}

}  // namespace
}  // namespace flipsat::hlo
