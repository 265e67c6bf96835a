#include "optimizer/harness/samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "verify/rounding.h"

namespace flipsat::optimizer {

using hlo::ElementType;
using hlo::Opcode;
using hlo::ReducerKind;
using verify::Term;

namespace {

// Bits, with the leading one, of types that a value may be rounded to.
constexpr int kPrecisions[] = {2, 3, 4, 5, 8, 11, 24, 53};

// Halfway between two values of a narrower type, or off by the last bit: what is rounded twice
// shows.
double near_halfway(uint64_t random, const hlo::FloatFormat& format) {
  double unit = std::ldexp(1.0, -format.mantissa_bits);
  double half = std::ldexp(1.0, -kPrecisions[random % std::size(kPrecisions)]);
  double odd = random & 64 ? 2 * half : 0;
  double value = 1 + odd + half + (static_cast<double>(random >> 8 & 3) - 1) * unit;
  return std::ldexp(random & 128 ? value : -value, static_cast<int>(random >> 16 & 15) - 4);
}

// The same of integers.
int64_t near_halfway(uint64_t random, int width) {
  int top = 1 + static_cast<int>((random >> 8) % static_cast<uint64_t>(std::max(width - 2, 1)));
  int below = top - kPrecisions[random % std::size(kPrecisions)];
  uint64_t value = uint64_t{1} << top;
  if (below >= 0) value += uint64_t{1} << below;
  if (below >= 0 && random & 128) value += uint64_t{2} << below;
  auto number = static_cast<int64_t>(value) + static_cast<int64_t>(random >> 16 & 3) - 1;
  return random & 64 ? number : -number;
}

// Largest and smallest values of a type as they round, and what lies between two values of another.
double special_float(uint64_t random, ElementType type, bool may_overflow) {
  hlo::FloatFormat format = *hlo::float_format(type);
  double unit = std::ldexp(1.0, -format.mantissa_bits);
  double smallest = std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
  static const double kValues[] = {
      0.0,
      -0.0,
      INFINITY,
      -INFINITY,
      NAN,
      1.0,
      -1.0,
      // Halfway between two values of a narrower type, and just beyond.
      1 + 0x1p-4,
      1 + 0x1p-8,
      1 + 0x1p-8 + 0x1p-20,
      -(1 + 0x3p-8),
      1 + 0x1p-11,
      3 + 0x1p-3,
      // Where narrower types underflow.
      0x1p-9,
      0x1p-10,
      -0x1p-17,
      0x1p-25,
      -0x1p-134,
  };
  static const double kLarge[] = {
      448, 463.9, 464, -480, 65504, 65519.9, 65520, -57344, 3.3895e38, 3.4e38, -3.4e38,
  };
  if (random % 3 == 0) return near_halfway(random / 3, format);
  uint64_t choice = random / 3 % (may_overflow ? 38 : 24);
  if (choice < std::size(kValues)) return kValues[choice];
  if (choice == 18) return smallest;
  if (choice == 19) return -smallest;
  if (choice == 20) return std::ldexp(1.0, 1 - format.bias);
  if (choice == 21) return 1 + unit;
  if (choice == 22) return 2 - unit;
  if (choice == 23) return std::nan("");
  if (choice < 24 + std::size(kLarge)) return kLarge[choice - 24];
  // Beyond every finite value by rounding, then the largest.
  double largest =
      std::ldexp(2 - unit, static_cast<int>((1 << format.exponent_bits) - 2) - format.bias);
  return choice == 35 ? largest : choice == 36 ? -largest : largest / 2;
}

int64_t special_integer(uint64_t random, ElementType type) {
  static const int64_t kValues[] = {0, 1, -1, 2, 127, 128, -128, -129, 255, 256, 32767, -32768,
                                    65535, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN,
                                    // No float of 24 bits.
                                    16777217, -16777217};
  if (random % 2 == 0) {
    return verify::wrap(near_halfway(random / 2, hlo::bit_width(type)), type);
  }
  return verify::wrap(kValues[random / 2 % std::size(kValues)], type);
}

double normal(uint64_t random) {
  double u = (static_cast<double>(random >> 40) + 1) / (1 << 24);
  double v = static_cast<double>(random & 0xffffff) / (1 << 24);
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
}

// Integers of so many bits can be added up eight times without rounding.
int counting_bits(ElementType type) {
  hlo::FloatFormat format = *hlo::float_format(type);
  return std::clamp(format.mantissa_bits + 1 - 3, 1, 18);
}

double float_value(Data data, uint64_t random, ElementType type) {
  uint64_t bits = random >> 8;
  double sign = random & 64 ? 1 : -1;
  switch (data) {
    case Data::kCounting: {
      int count = counting_bits(type);
      auto value = static_cast<double>(bits & ((uint64_t{1} << count) - 1));
      return count < 8 ? value - std::ldexp(1.0, count - 1) : value;
    }
    case Data::kSpecial:
    case Data::kNoOverflow:
    case Data::kFinite:
      if (random % 4 != 0) return special_float(bits, type, data == Data::kSpecial);
      break;
    case Data::kSigns:
      return sign * (bits % 8 == 0 ? 2 : 1);
    case Data::kModerate:
      return sign * (0.5 + static_cast<double>(bits % 4096) / 4096);
    case Data::kExtremes: {
      static const double kValues[] = {1, -1, 1, -1, 0.0, -0.0, INFINITY, -INFINITY, NAN};
      return kValues[bits % std::size(kValues)];
    }
    case Data::kRandom:
      break;
  }
  return normal(bits) * (random & 64 ? 1.0 : 100.0);
}

}  // namespace

Term SampleDomain::leaf(const verify::Leaf& leaf, ElementType type, uint32_t part, int64_t device,
                        int64_t index) {
  if (leaf.equal_on) device = leaf.equal_on->blocks()[device];
  uint64_t random = verify::combine(seed_, leaf.key);
  for (uint64_t word :
       {uint64_t{part}, static_cast<uint64_t>(device), static_cast<uint64_t>(index)})
    random = verify::combine(random, word);
  bool is_special = data_ == Data::kSpecial || data_ == Data::kNoOverflow ||
                    data_ == Data::kFinite || data_ == Data::kExtremes;
  if (hlo::is_float(type)) {
    const double value = verify::round_to(float_value(data_, random, type), type);
    if (data_ == Data::kFinite && !std::isfinite(value)) return Term::real(0);
    return Term::real(value);
  }
  if (type == ElementType::kPred && index == 0 && seed_ <= 2) {
    // A lone one differs between neighbours, or between their pairs.
    return Term::integer(device >> (seed_ & 1) & 1);
  }
  if (type == ElementType::kPred) {
    // Often rare ones of either kind, so that `or` and `and` of many still differ.
    static const uint64_t kTrueOf8[] = {4, 1, 7};
    return Term::integer(random % 8 < kTrueOf8[seed_ % 3]);
  }
  if (data_ == Data::kCounting && seed_ % 2 == 0 && leaf.starts == 0) {
    return Term::integer(verify::wrap(static_cast<int64_t>(random >> 8 & 255) - 128, type));
  }
  if (hlo::is_complex(type)) throw verify::Unmodelled("complex numbers");
  if (leaf.starts > 0 && !(is_special && random % 4 == 0)) {
    return Term::integer(verify::random_integer(random, type, leaf.starts));
  }
  if (is_special && random % 4 != 3) return Term::integer(special_integer(random >> 8, type));
  return Term::integer(verify::random_integer(random, type, 0));
}

Term ExactDomain::scalar(const verify::ScalarOp& op, std::span<const Term> arguments) {
  if (op.opcode == Opcode::kConvert && hlo::is_float(op.result) && hlo::is_float(op.operand)) {
    return arguments[0];
  }
  return SampleDomain::scalar(op, arguments);
}

Term ExactDomain::reduce(const verify::Reduction& reduction, std::vector<Term>& terms) {
  bool is_sum = reduction.kind == ReducerKind::kAdd || reduction.kind == ReducerKind::kMultiply;
  if (!hlo::is_float(reduction.type) || !is_sum) return SampleDomain::reduce(reduction, terms);
  long double total = reduction.kind == ReducerKind::kAdd ? 0 : 1;
  for (const Term& term : terms) {
    if (reduction.kind == ReducerKind::kAdd) {
      total += term.as_real();
    } else {
      total *= term.as_real();
    }
  }
  return Term::real(static_cast<double>(total));
}

Term MagnitudeDomain::leaf(const verify::Leaf& leaf, ElementType type, uint32_t part,
                           int64_t device, int64_t index) {
  Term term = SampleDomain::leaf(leaf, type, part, device, index);
  return term.kind == verify::TermKind::kReal ? Term::real(std::fabs(term.as_real())) : term;
}

Term MagnitudeDomain::scalar(const verify::ScalarOp& op, std::span<const Term> arguments) {
  if (hlo::is_float(op.result) && op.opcode == Opcode::kSubtract) {
    return Term::real(arguments[0].as_real() + arguments[1].as_real());
  }
  Term term = ExactDomain::scalar(op, arguments);
  return term.kind == verify::TermKind::kReal ? Term::real(std::fabs(term.as_real())) : term;
}

Term MagnitudeDomain::reduce(const verify::Reduction& reduction, std::vector<Term>& terms) {
  if (!hlo::is_float(reduction.type)) return SampleDomain::reduce(reduction, terms);
  if (reduction.kind == ReducerKind::kAdd || reduction.kind == ReducerKind::kMultiply) {
    return ExactDomain::reduce(reduction, terms);
  }
  double largest = 0;
  for (const Term& term : terms) largest = std::max(largest, term.as_real());
  return Term::real(largest);
}

}  // namespace flipsat::optimizer
