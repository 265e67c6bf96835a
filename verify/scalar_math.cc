#include "verify/scalar_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "verify/rounding.h"

namespace flipsat::verify {
namespace {

using hlo::AttributeKey;
using hlo::ElementType;
using hlo::Opcode;

Direction direction_of(std::string_view word) {
  if (word == "NE") return Direction::kNe;
  if (word == "GE") return Direction::kGe;
  if (word == "GT") return Direction::kGt;
  if (word == "LE") return Direction::kLe;
  if (word == "LT") return Direction::kLt;
  return Direction::kEq;
}

template <typename T>
bool holds(Direction direction, T a, T b) {
  switch (direction) {
    case Direction::kEq:
      return a == b;
    case Direction::kNe:
      return a != b;
    case Direction::kGe:
      return a >= b;
    case Direction::kGt:
      return a > b;
    case Direction::kLe:
      return a <= b;
    case Direction::kLt:
      return a < b;
  }
  return false;
}

bool is_signed(ElementType type) { return hlo::is_signed_integer(type); }

bool compare_numbers(const ScalarOp& op, const Term& a, const Term& b) {
  if (a.kind == TermKind::kReal) {
    if (!op.total_order) return holds(op.direction, a.as_real(), b.as_real());
    auto key = [](const Term& t) {
      int64_t bits = static_cast<int64_t>(t.bits);
      return bits < 0 ? std::numeric_limits<int64_t>::min() - bits - 1 : bits;
    };
    return holds(op.direction, key(a), key(b));
  }
  if (is_signed(op.operand)) return holds(op.direction, a.as_integer(), b.as_integer());
  return holds(op.direction, a.bits, b.bits);
}

int64_t integer_power(int64_t base, int64_t exponent, bool has_sign) {
  if (has_sign && exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1;
  uint64_t factor = static_cast<uint64_t>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e != 0; e >>= 1, factor *= factor) {
    if (e & 1) result *= factor;
  }
  return static_cast<int64_t>(result);
}

int64_t divide(int64_t a, int64_t b, bool has_sign) {
  if (b == 0) return -1;
  if (!has_sign) return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  return a / b;
}

// The upper half of the product of twice the width.
int64_t multiply_high(int64_t a, int64_t b, int width, bool has_sign) {
  if (has_sign) return static_cast<int64_t>(static_cast<__int128>(a) * b >> width);
  auto product =
      static_cast<unsigned __int128>(static_cast<uint64_t>(a)) * static_cast<uint64_t>(b);
  return static_cast<int64_t>(product >> width);
}

int64_t remainder(int64_t a, int64_t b, bool has_sign) {
  if (b == 0) return a;
  if (!has_sign) return static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
  return b == -1 ? 0 : a % b;
}

std::optional<int64_t> on_integers(const ScalarOp& op, std::span<const Term> args) {
  ElementType type = op.result;
  bool has_sign = is_signed(type);
  int width = hlo::bit_width(type);
  int64_t a = args[0].as_integer();
  int64_t b = args.size() > 1 ? args[1].as_integer() : 0;
  uint64_t ua = static_cast<uint64_t>(a);
  uint64_t ub = static_cast<uint64_t>(b);
  auto less = [&](int64_t x, int64_t y) {
    return has_sign ? x < y : static_cast<uint64_t>(x) < static_cast<uint64_t>(y);
  };
  bool shifted_out = ub >= static_cast<uint64_t>(width);
  if (type == ElementType::kPred) {
    // Truth values add to `or` and multiply to `and`; other arithmetic they have none.
    if (op.opcode == Opcode::kAdd) return a | b;
    if (op.opcode == Opcode::kMultiply) return a & b;
    if (op.opcode == Opcode::kSubtract || op.opcode == Opcode::kNegate) return std::nullopt;
  }
  switch (op.opcode) {
    case Opcode::kAdd:
      return static_cast<int64_t>(ua + ub);
    case Opcode::kSubtract:
      return static_cast<int64_t>(ua - ub);
    case Opcode::kMultiply:
      return static_cast<int64_t>(ua * ub);
    case Opcode::kMulhi:
      return multiply_high(a, b, width, has_sign);
    case Opcode::kDivide:
      return divide(a, b, has_sign);
    case Opcode::kRemainder:
      return remainder(a, b, has_sign);
    case Opcode::kMaximum:
      return less(a, b) ? b : a;
    case Opcode::kMinimum:
      return less(a, b) ? a : b;
    case Opcode::kAnd:
      return a & b;
    case Opcode::kOr:
      return a | b;
    case Opcode::kXor:
      return a ^ b;
    case Opcode::kNot:
      return ~a;
    case Opcode::kNegate:
      return static_cast<int64_t>(0 - ua);
    case Opcode::kAbs:
      return has_sign && a < 0 ? static_cast<int64_t>(0 - ua) : a;
    case Opcode::kSign:
      return has_sign ? (a > 0) - (a < 0) : a != 0;
    case Opcode::kShiftLeft:
      return shifted_out ? 0 : static_cast<int64_t>(ua << b);
    case Opcode::kShiftRightLogical: {
      uint64_t bits = width == 64 ? ua : ua & ((uint64_t{1} << width) - 1);
      return shifted_out ? 0 : static_cast<int64_t>(bits >> b);
    }
    case Opcode::kShiftRightArithmetic: {
      // The sign bit is the type's, also of unsigned types.
      int64_t extended = static_cast<int64_t>(ua << (64 - width)) >> (64 - width);
      return extended >> (shifted_out ? 63 : b);
    }
    case Opcode::kPopcnt:
      return std::popcount(width == 64 ? ua : ua & ((uint64_t{1} << width) - 1));
    case Opcode::kCountLeadingZeros:
      return std::countl_zero(width == 64 ? ua : ua & ((uint64_t{1} << width) - 1)) - (64 - width);
    case Opcode::kPower:
      return integer_power(a, b, has_sign);
    case Opcode::kClamp: {
      int64_t low = a, value = b, high = args[2].as_integer();
      if (less(value, low)) value = low;
      return less(high, value) ? high : value;
    }
    default:
      return std::nullopt;
  }
}

double fold_max(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double fold_min(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// Rounds the mantissa in place, as it stands in the type; a smaller exponent range then makes
// infinities and flushes what would be subnormal in it.
double reduce_precision(double value, const ScalarOp& op) {
  if (!std::isfinite(value) || value == 0) return value;
  hlo::FloatFormat own = *hlo::float_format(op.result);
  double rounded = value;
  if (op.mantissa_bits < own.mantissa_bits) {
    int exponent = std::max(std::ilogb(value), 1 - own.bias);
    rounded = std::ldexp(std::nearbyint(std::ldexp(value, op.mantissa_bits - exponent)),
                         exponent - op.mantissa_bits);
  }
  if (op.exponent_bits >= own.exponent_bits || rounded == 0) return rounded;
  int bias = (1 << (op.exponent_bits - 1)) - 1;
  if (std::ilogb(rounded) > bias) return std::copysign(INFINITY, value);
  return std::ilogb(rounded) < 1 - bias ? std::copysign(0.0, value) : rounded;
}

std::optional<double> on_reals(const ScalarOp& op, std::span<const Term> args) {
  double a = args[0].as_real();
  double b = args.size() > 1 ? args[1].as_real() : 0;
  switch (op.opcode) {
    case Opcode::kAdd:
      return a + b;
    case Opcode::kSubtract:
      return a - b;
    case Opcode::kMultiply:
      return a * b;
    case Opcode::kDivide:
      return a / b;
    case Opcode::kRemainder:
      return std::fmod(a, b);
    case Opcode::kMaximum:
      return fold_max(a, b);
    case Opcode::kMinimum:
      return fold_min(a, b);
    case Opcode::kPower:
      return std::pow(a, b);
    case Opcode::kAtan2:
      return std::atan2(a, b);
    case Opcode::kNegate:
      return -a;
    case Opcode::kAbs:
      return std::fabs(a);
    case Opcode::kSign:
      return std::isnan(a) || a == 0 ? a : std::copysign(1.0, a);
    case Opcode::kFloor:
      return std::floor(a);
    case Opcode::kCeil:
      return std::ceil(a);
    case Opcode::kRoundNearestAfz:
      return std::round(a);
    case Opcode::kRoundNearestEven:
      return std::nearbyint(a);
    case Opcode::kSqrt:
      return std::sqrt(a);
    case Opcode::kRsqrt:
      return 1 / std::sqrt(a);
    case Opcode::kCbrt:
      return std::cbrt(a);
    case Opcode::kExponential:
      return std::exp(a);
    case Opcode::kExponentialMinusOne:
      return std::expm1(a);
    case Opcode::kLog:
      return std::log(a);
    case Opcode::kLogPlusOne:
      return std::log1p(a);
    case Opcode::kLogistic:
      return 1 / (1 + std::exp(-a));
    case Opcode::kTanh:
      return std::tanh(a);
    case Opcode::kTan:
      return std::tan(a);
    case Opcode::kSine:
      return std::sin(a);
    case Opcode::kCosine:
      return std::cos(a);
    case Opcode::kSinh:
      return std::sinh(a);
    case Opcode::kCosh:
      return std::cosh(a);
    case Opcode::kAsin:
      return std::asin(a);
    case Opcode::kAcos:
      return std::acos(a);
    case Opcode::kAsinh:
      return std::asinh(a);
    case Opcode::kAcosh:
      return std::acosh(a);
    case Opcode::kAtanh:
      return std::atanh(a);
    case Opcode::kErf:
      return std::erf(a);
    case Opcode::kReducePrecision:
      return reduce_precision(a, op);
    case Opcode::kClamp:
      return fold_min(fold_max(a, b), args[2].as_real());
    default:
      return std::nullopt;
  }
}

uint64_t tag_of(const ScalarOp& op) {
  uint64_t tag = combine(static_cast<uint64_t>(op.opcode), static_cast<uint64_t>(op.result));
  tag = combine(tag, static_cast<uint64_t>(op.operand));
  tag = combine(tag, static_cast<uint64_t>(op.direction) * 2 + op.total_order);
  return combine(tag, static_cast<uint64_t>(op.exponent_bits) << 16 | op.mantissa_bits);
}

}  // namespace

ScalarOp ScalarOp::of(const hlo::Module& module, const hlo::Instruction& instruction) {
  ScalarOp op;
  op.opcode = instruction.opcode;
  op.result = instruction.shape.type;
  op.operand = op.result;
  if (!instruction.operands.empty()) op.operand = module[instruction.operands.back()].shape.type;
  if (op.opcode == Opcode::kCompare) {
    op.direction = direction_of(instruction.word(AttributeKey::kDirection));
    op.total_order = instruction.word(AttributeKey::kType) == "TOTALORDER";
  }
  op.exponent_bits = static_cast<int>(instruction.int_attribute(AttributeKey::kExponentBits, 0));
  op.mantissa_bits = static_cast<int>(instruction.int_attribute(AttributeKey::kMantissaBits, 0));
  op.tag = tag_of(op);
  // result_accuracy asks for another approximation of the same function.
  for (char c : instruction.raw_text(AttributeKey::kResultAccuracy)) op.tag = combine(op.tag, c);
  return op;
}

ScalarOp ScalarOp::binary(hlo::Opcode opcode, ElementType type) {
  ScalarOp op;
  op.opcode = opcode;
  op.result = op.operand = type;
  op.tag = tag_of(op);
  return op;
}

uint64_t bits_of_number(const Term& number, ElementType type) {
  if (hlo::is_float(type)) return encode_float(number.as_real(), type);
  int width = hlo::bit_width(type);
  return width == 64 ? number.bits : number.bits & ((uint64_t{1} << width) - 1);
}

Term number_of_bits(uint64_t bits, ElementType type) {
  if (hlo::is_float(type)) return Term::real(decode_float(bits, type));
  return Term::integer(wrap(static_cast<int64_t>(bits), type));
}

std::optional<Term> apply_to_numbers(const ScalarOp& op, std::span<const Term> args) {
  if (op.opcode == Opcode::kConvert) return convert_number(args[0], op.operand, op.result);
  if (op.opcode == Opcode::kSelect) return args[0].as_integer() ? args[1] : args[2];
  if (op.opcode == Opcode::kCopy) return args[0];
  if (hlo::is_complex(op.operand) || hlo::is_complex(op.result) || op.opcode == Opcode::kReal ||
      op.opcode == Opcode::kImag) {
    return apply_to_complex(op, args);
  }
  if (op.opcode == Opcode::kBitcastConvert) {
    if (hlo::bit_width(op.operand) != hlo::bit_width(op.result)) return std::nullopt;
    return number_of_bits(bits_of_number(args[0], op.operand), op.result);
  }
  if (op.opcode == Opcode::kCompare) {
    return Term::integer(compare_numbers(op, args[0], args[1]) ? 1 : 0);
  }
  if (op.opcode == Opcode::kIsFinite) {
    return Term::integer(std::isfinite(args[0].as_real()) ? 1 : 0);
  }
  if (hlo::is_float(op.result) && args[0].kind == TermKind::kReal) {
    std::optional<double> value = on_reals(op, args);
    if (!value) return std::nullopt;
    return Term::real(round_to(*value, op.result));
  }
  bool integral = hlo::is_integer(op.result) || op.result == ElementType::kPred;
  if (integral && args[0].kind == TermKind::kInteger) {
    std::optional<int64_t> value = on_integers(op, args);
    if (!value) return std::nullopt;
    return Term::integer(wrap(*value, op.result));
  }
  return std::nullopt;
}

Term fold_numbers(Opcode opcode, ElementType type, const Term& a, const Term& b) {
  Term pair[] = {a, b};
  Term result = *apply_to_numbers(ScalarOp::binary(opcode, type), pair);
  result.drawn = a.drawn || b.drawn;
  if (result.drawn) result.type = type;
  return result;
}

}  // namespace flipsat::verify
