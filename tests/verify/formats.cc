// Every bit pattern of the small element types, against tables built here from what the formats
// say.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "tests/verify/numbers_of.h"
#include "verify/rounding.h"
#include "verify/scalar_math.h"

using namespace flipsat;
using namespace flipsat::verify;
using hlo::ElementType;

namespace {

using T = ElementType;

// What becomes of the top codes and of the code of -0.
enum class Top { kInfinityAndNan, kNanInLast, kNanInMinusZero, kAllFinite, kExponentOnly };

struct Format {
  T type;
  int exponent, mantissa, bias;
  Top top;
};

constexpr Format kFormats[] = {
    {T::kF16, 5, 10, 15, Top::kInfinityAndNan},
    {T::kBF16, 8, 7, 127, Top::kInfinityAndNan},
    {T::kF8E5M2, 5, 2, 15, Top::kInfinityAndNan},
    {T::kF8E4M3, 4, 3, 7, Top::kInfinityAndNan},
    {T::kF8E3M4, 3, 4, 3, Top::kInfinityAndNan},
    {T::kF8E4M3FN, 4, 3, 7, Top::kNanInLast},
    {T::kF8E4M3FNUZ, 4, 3, 8, Top::kNanInMinusZero},
    {T::kF8E5M2FNUZ, 5, 2, 16, Top::kNanInMinusZero},
    {T::kF8E4M3B11FNUZ, 4, 3, 11, Top::kNanInMinusZero},
    {T::kF6E3M2FN, 3, 2, 3, Top::kAllFinite},
    {T::kF6E2M3FN, 2, 3, 1, Top::kAllFinite},
    {T::kF4E2M1FN, 2, 1, 1, Top::kAllFinite},
    {T::kF8E8M0FNU, 8, 0, 127, Top::kExponentOnly},
};

int width(const Format& f) {
  return f.exponent + f.mantissa + (f.top == Top::kExponentOnly ? 0 : 1);
}

// The magnitude that a code without sign would have if every code were a number.
long double magnitude(const Format& f, int code) {
  int exponent = code >> f.mantissa;
  int mantissa = code & ((1 << f.mantissa) - 1);
  if (f.top == Top::kExponentOnly) return std::ldexp(1.0L, exponent - f.bias);
  if (exponent == 0) return std::ldexp(static_cast<long double>(mantissa), 1 - f.bias - f.mantissa);
  return std::ldexp(static_cast<long double>(mantissa + (1 << f.mantissa)),
                    exponent - f.bias - f.mantissa);
}

// The first code, sign apart, that is no finite number.
int first_not_finite(const Format& f) {
  int codes = 1 << (f.exponent + f.mantissa);
  switch (f.top) {
    case Top::kInfinityAndNan:
      return ((1 << f.exponent) - 1) << f.mantissa;
    case Top::kNanInLast:
    case Top::kExponentOnly:
      return codes - 1;
    default:
      return codes;
  }
}

double value_of(const Format& f, int bits) {
  int sign_bit = f.top == Top::kExponentOnly ? 0 : 1 << (f.exponent + f.mantissa);
  bool negative = (bits & sign_bit) != 0;
  int code = bits & ~sign_bit;
  if (f.top == Top::kNanInMinusZero && negative && code == 0) return NAN;
  if (code >= first_not_finite(f)) {
    bool is_infinity = f.top == Top::kInfinityAndNan && (code & ((1 << f.mantissa) - 1)) == 0;
    return is_infinity ? (negative ? -INFINITY : INFINITY) : NAN;
  }
  double value = static_cast<double>(magnitude(f, code));
  return negative ? -value : value;
}

// The nearest value, by looking at all magnitudes: ties to the even code, but upwards where there
// is no mantissa to be even.
class Oracle {
 public:
  explicit Oracle(const Format& f) : f_(f) {
    // One past the last: what rounds there overflows.
    for (int code = 0; code <= first_not_finite(f); ++code)
      magnitudes_.push_back(magnitude(f, code));
  }

  double nearest(long double x) const {
    if (f_.top == Top::kExponentOnly && !(x > 0)) return NAN;
    if (std::isnan(x)) return f_.top == Top::kAllFinite ? -0.0 : NAN;
    bool negative = std::signbit(x);
    long double size = std::fabs(x);
    auto above = std::lower_bound(magnitudes_.begin(), magnitudes_.end(), size);
    size_t code = static_cast<size_t>(above - magnitudes_.begin());
    if (above == magnitudes_.end()) {
      code = magnitudes_.size() - 1;
    } else if (code > 0 && *above != size) {
      long double up = *above - size;
      long double down = size - magnitudes_[code - 1];
      bool tie_down = f_.top != Top::kExponentOnly && code % 2 == 1;
      if (down < up || (down == up && tie_down)) --code;
    }
    if (code + 1 == magnitudes_.size()) return overflow(negative);
    double value = static_cast<double>(magnitudes_[code]);
    if (value == 0 && f_.top == Top::kNanInMinusZero) return 0;
    return negative ? -value : value;
  }

  const std::vector<long double>& magnitudes() const { return magnitudes_; }

 private:
  double overflow(bool negative) const {
    double sign = negative ? -1 : 1;
    if (f_.top == Top::kInfinityAndNan) return sign * INFINITY;
    if (f_.top == Top::kAllFinite)
      return sign * static_cast<double>(magnitudes_[magnitudes_.size() - 2]);
    return NAN;
  }

  const Format& f_;
  std::vector<long double> magnitudes_;
};

const Oracle& oracle_of(const Format& f) {
  static std::map<T, Oracle> all;
  return all.try_emplace(f.type, f).first->second;
}

bool same(double a, double b) { return Term::real(a) == Term::real(b); }

// Counts instead of asserting each of millions.
struct Tally {
  int64_t seen = 0;
  int64_t wrong = 0;
  std::string first;
  void note(double x, double got, double expected) {
    ++seen;
    if (same(got, expected)) return;
    if (wrong++ == 0) {
      first = std::to_string(x) + " became " + std::to_string(got) + ", not " +
              std::to_string(expected);
    }
  }
};

uint64_t random_word(uint64_t k) { return mix(k * 0x9e3779b97f4a7c15 + 1); }

}  // namespace

TEST_CASE("every bit pattern of every small float is what its format says, and encodes back") {
  for (const Format& f : kFormats) {
    INFO(hlo::to_string(f.type));
    int wrong = 0, nans = 0;
    for (int bits = 0; bits < 1 << width(f); ++bits) {
      double value = decode_float(static_cast<uint64_t>(bits), f.type);
      if (!same(value, value_of(f, bits))) ++wrong;
      nans += std::isnan(value);
      uint64_t again = encode_float(value, f.type);
      bool fits = again < uint64_t{1} << width(f);
      bool is_same = std::isnan(value) ? std::isnan(decode_float(again, f.type))
                                       : again == static_cast<uint64_t>(bits);
      if (!fits || !is_same) ++wrong;
      // A value of the type is its own nearest.
      if (!same(round_to(value, f.type), value)) ++wrong;
    }
    CHECK(wrong == 0);
    bool expects_nan = f.top != Top::kAllFinite;
    CHECK((nans > 0) == expects_nan);
  }
}

TEST_CASE("f32 and f64 patterns decode as the machine's") {
  int wrong = 0;
  for (uint64_t k = 0; k < 100000; ++k) {
    uint64_t word = random_word(k);
    uint32_t low = static_cast<uint32_t>(word);
    float single;
    double whole;
    std::memcpy(&single, &low, sizeof single);
    std::memcpy(&whole, &word, sizeof whole);
    wrong += !same(decode_float(low, T::kF32), single);
    wrong += !same(decode_float(word, T::kF64), whole);
    if (!std::isnan(single)) wrong += encode_float(single, T::kF32) != low;
  }
  // Subnormals are rare among random words.
  for (uint32_t low = 0; low < 5000; ++low) {
    float single;
    std::memcpy(&single, &low, sizeof single);
    wrong += !same(decode_float(low, T::kF32), single) + (encode_float(single, T::kF32) != low);
  }
  CHECK(wrong == 0);
}

TEST_CASE("converts between all pairs of small floats find the nearest value") {
  for (const Format& to : kFormats) {
    const Oracle& oracle = oracle_of(to);
    Tally tally;
    for (const Format& from : kFormats) {
      for (int bits = 0; bits < 1 << width(from); ++bits) {
        double x = value_of(from, bits);
        Term term = convert_number(Term::real(x), from.type, to.type);
        tally.note(x, term.as_real(), oracle.nearest(x));
      }
    }
    INFO(hlo::to_string(to.type) << ": " << tally.first);
    CHECK(tally.wrong == 0);
    CHECK(tally.seen > 130000);
  }
}

TEST_CASE("f64 rounds once: just beside every tie") {
  for (const Format& to : kFormats) {
    const Oracle& oracle = oracle_of(to);
    Tally tally;
    const auto& steps = oracle.magnitudes();
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      double tie = static_cast<double>((steps[i] + steps[i + 1]) / 2);
      for (double x : {tie, std::nextafter(tie, INFINITY), std::nextafter(tie, 0.0)}) {
        for (double signed_x : {x, -x}) {
          tally.note(signed_x, round_to(signed_x, to.type), oracle.nearest(signed_x));
        }
      }
    }
    for (double x : {1e300, -1e300, 1e-300, -1e-300, 5e-324}) {
      tally.note(x, round_to(x, to.type), oracle.nearest(x));
    }
    INFO(hlo::to_string(to.type) << ": " << tally.first);
    CHECK(tally.wrong == 0);
  }
  double trap = 1 + std::ldexp(1.0, -24) + std::ldexp(1.0, -50);
  CHECK(round_to(trap, T::kF32) == 1 + std::ldexp(1.0, -23));
}

TEST_CASE("64-bit integers round once as well") {
  std::vector<uint64_t> words;
  for (int top = 1; top < 64; ++top) {
    for (int half = 0; half < top; ++half) {
      uint64_t tie = (uint64_t{1} << top) + (uint64_t{1} << half);
      for (uint64_t odd : {uint64_t{0}, uint64_t{1} << (half + 1 < top ? half + 1 : 0)}) {
        for (int64_t by : {-1, 0, 1}) words.push_back((tie | odd) + static_cast<uint64_t>(by));
      }
    }
  }
  for (uint64_t k = 0; k < 2000; ++k) words.push_back(random_word(k) >> (k % 64));
  for (const Format& to : kFormats) {
    const Oracle& oracle = oracle_of(to);
    Tally tally;
    for (uint64_t word : words) {
      int64_t number = static_cast<int64_t>(word);
      Term is_signed = convert_number(Term::integer(number), T::kS64, to.type);
      Term is_unsigned = convert_number(Term::integer(number), T::kU64, to.type);
      tally.note(static_cast<double>(number), is_signed.as_real(), oracle.nearest(number));
      tally.note(static_cast<double>(word), is_unsigned.as_real(), oracle.nearest(word));
    }
    INFO(hlo::to_string(to.type) << ": " << tally.first);
    CHECK(tally.wrong == 0);
  }
  int wrong = 0;
  for (uint64_t word : words) {
    int64_t number = static_cast<int64_t>(word);
    wrong += !same(round_integer_to(number, false, T::kF32), static_cast<float>(number));
    wrong += !same(round_integer_to(number, true, T::kF32), static_cast<float>(word));
    wrong += !same(round_integer_to(number, false, T::kF64), static_cast<double>(number));
    wrong += !same(round_integer_to(number, true, T::kF64), static_cast<double>(word));
  }
  CHECK(wrong == 0);
  // 2^62 + 2^54 + 1 is past the tie of bf16, but is the tie itself in f32 and in f64.
  int64_t trap = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  CHECK(convert_number(Term::integer(trap), T::kS64, T::kBF16).as_real() ==
        std::ldexp(1.0, 62) + std::ldexp(1.0, 55));
}

TEST_CASE("integers of every width wrap as two's complement") {
  struct Kind {
    T type;
    int bits;
    bool has_sign;
  };
  constexpr Kind kKinds[] = {{T::kS1, 1, true},    {T::kS2, 2, true},   {T::kS4, 4, true},
                             {T::kS8, 8, true},    {T::kS16, 16, true}, {T::kS32, 32, true},
                             {T::kS64, 64, true},  {T::kU1, 1, false},  {T::kU2, 2, false},
                             {T::kU4, 4, false},   {T::kU8, 8, false},  {T::kU16, 16, false},
                             {T::kU32, 32, false}, {T::kU64, 64, false}};
  auto reduced = [](__int128 value, const Kind& to) {
    __int128 modulus = static_cast<__int128>(1) << to.bits;
    __int128 rest = (value % modulus + modulus) % modulus;
    return to.has_sign && rest >= modulus / 2 ? rest - modulus : rest;
  };
  int64_t wrong = 0, seen = 0;
  for (const Kind& from : kKinds) {
    for (uint64_t k = 0; k < 65536; ++k) {
      uint64_t word = k < 65536 / 2 ? k : random_word(k);
      __int128 value = reduced(static_cast<__int128>(word), from);
      Term term = Term::integer(static_cast<int64_t>(value));
      for (const Kind& to : kKinds) {
        Term got = convert_number(term, from.type, to.type);
        ++seen;
        wrong += got.as_integer() != static_cast<int64_t>(reduced(value, to));
      }
      wrong += convert_number(term, from.type, T::kPred).as_integer() != (value != 0);
    }
  }
  CHECK(wrong == 0);
  CHECK(seen == 14 * 14 * 65536);
}

TEST_CASE("floats truncate to integers and saturate") {
  struct Range {
    T type;
    long double low, high;
  };
  const Range kRanges[] = {{T::kS4, -8, 7},
                           {T::kU2, 0, 3},
                           {T::kS8, -128, 127},
                           {T::kU8, 0, 255},
                           {T::kS32, -2147483648.0L, 2147483647.0L},
                           {T::kU32, 0, 4294967295.0L},
                           {T::kS64, -9223372036854775808.0L, 9223372036854775807.0L},
                           {T::kU64, 0, 18446744073709551615.0L}};
  int64_t wrong = 0;
  for (const Range& to : kRanges) {
    for (int bits = 0; bits < 1 << 16; ++bits) {
      for (const Format& from : {kFormats[0], kFormats[1]}) {
        double x = value_of(from, bits);
        long double expected =
            std::isnan(x) ? 0.0L : std::clamp<long double>(std::trunc(x), to.low, to.high);
        Term got = convert_number(Term::real(x), from.type, to.type);
        long double number = to.type == T::kU64 ? static_cast<long double>(got.bits)
                                                : static_cast<long double>(got.as_integer());
        wrong += number != expected;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(convert_number(Term::real(NAN), T::kF32, T::kPred).bits == 1);
  CHECK(convert_number(Term::real(-0.0), T::kF32, T::kPred).bits == 0);
}

TEST_CASE("neighbours are one unit apart, in every type") {
  for (const Format& f : kFormats) {
    INFO(hlo::to_string(f.type));
    const auto& steps = oracle_of(f).magnitudes();
    int wrong = 0;
    for (size_t i = 0; i + 2 < steps.size(); ++i) {
      double low = static_cast<double>(steps[i]), high = static_cast<double>(steps[i + 1]);
      wrong += ulps_between(low, high, f.type) != 1;
      if (f.top != Top::kExponentOnly)
        wrong += ulps_between(-high, high, f.type) != static_cast<int64_t>(2 * (i + 1));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("reduce-precision rounds the mantissa and cuts the range") {
  ScalarOp op = ScalarOp::binary(hlo::Opcode::kReducePrecision, T::kF32);
  auto reduce = [&](double x, int exponent, int mantissa) {
    op.exponent_bits = exponent;
    op.mantissa_bits = mantissa;
    Term term = Term::real(x);
    return apply_to_numbers(op, {&term, 1})->as_real();
  };
  Tally as_bf16, as_f16;
  int unchanged = 0;
  for (uint64_t k = 0; k < 200000; ++k) {
    uint32_t word = static_cast<uint32_t>(k < 100000 ? random_word(k) : k * 83);
    float single;
    std::memcpy(&single, &word, sizeof single);
    double x = single;
    // With f32's own range bf16's subnormals stay; with a smaller one subnormals are flushed.
    as_bf16.note(x, reduce(x, 8, 7), oracle_of(kFormats[1]).nearest(x));
    double half = oracle_of(kFormats[0]).nearest(x);
    if (std::isfinite(half) && std::fabs(half) < std::ldexp(1.0, -14)) half = std::copysign(0.0, x);
    as_f16.note(x, reduce(x, 5, 10), half);
    unchanged += std::isnan(x) || reduce(x, 8, 23) == x;
  }
  INFO(as_bf16.first << "; " << as_f16.first);
  CHECK(unchanged == 200000);
  CHECK(as_bf16.wrong == 0);
  CHECK(as_f16.wrong == 0);
}
