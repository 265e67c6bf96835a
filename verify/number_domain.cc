#include "verify/number_domain.h"

#include <cmath>
#include <numbers>

#include "verify/rounding.h"

namespace flipsat::verify {

using hlo::ElementType;
using hlo::Opcode;
using hlo::ReducerKind;

Opcode opcode_of(ReducerKind kind) {
  switch (kind) {
    case ReducerKind::kAdd:
      return Opcode::kAdd;
    case ReducerKind::kMultiply:
      return Opcode::kMultiply;
    case ReducerKind::kMinimum:
      return Opcode::kMinimum;
    case ReducerKind::kMaximum:
      return Opcode::kMaximum;
    case ReducerKind::kAnd:
      return Opcode::kAnd;
    case ReducerKind::kOr:
      return Opcode::kOr;
  }
  throw std::logic_error("a reducer of no kind");
}

int64_t random_integer(uint64_t random, ElementType type, int64_t starts) {
  if (type == ElementType::kPred) return static_cast<int64_t>(random & 1);
  if (starts > 0) {
    // One past either end as well, so that clamping shows.
    int64_t value = static_cast<int64_t>(random % static_cast<uint64_t>(starts + 2)) - 1;
    return wrap(hlo::is_unsigned_integer(type) && value < 0 ? starts : value, type);
  }
  // Half of them large, so that overflow and rounding show, half of the size of a counter.
  if (random >> 63) return wrap(static_cast<int64_t>(mix(random)), type);
  int64_t value = static_cast<int64_t>(random % 65521);
  return wrap(hlo::is_signed_integer(type) ? value - 32760 : value, type);
}

Term NumberDomain::leaf(const Leaf& leaf, ElementType type, uint32_t part, int64_t device,
                        int64_t index) {
  if (leaf.on_devices) return Term::integer(wrap((*leaf.on_devices)[device], type));
  if (leaf.equal_on) device = leaf.equal_on->blocks()[device];
  uint64_t random =
      combine(combine(combine(combine(seed_, leaf.key), part), static_cast<uint64_t>(device)),
              static_cast<uint64_t>(index));
  if (hlo::is_float(type)) return Term::real(random_real(random, type));
  if (!hlo::is_complex(type)) return Term::integer(random_integer(random, type, leaf.starts));
  ElementType half = part_type(type);
  return Term::complex(random_real(random, half), random_real(mix(random), half));
}

double NumberDomain::random_real(uint64_t random, ElementType type) const {
  if (special_values_ && mix(random) % 8 == 0) {
    const double kSpecial[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e-40, -1e-40, 65504, 3e38};
    return round_to(kSpecial[(random >> 7) % std::size(kSpecial)], type);
  }
  // Box and Muller: a normal number from two uniform ones.
  double u = (static_cast<double>(random >> 40) + 1) / (1 << 24);
  double v = static_cast<double>(random & 0xffffff) / (1 << 24);
  double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  bool has_sign = hlo::float_format(type)->is_signed;
  return round_to(has_sign ? normal : std::fabs(normal), type);
}

Term NumberDomain::constant(const hlo::Literal& literal, int64_t index) {
  if (literal.elided) throw Unmodelled("the constant is elided");
  return literal_element(literal, index);
}

Term NumberDomain::scalar(const ScalarOp& op, std::span<const Term> arguments) {
  if (auto value = apply_to_numbers(op, arguments)) return *value;
  throw Unmodelled(std::string(hlo::to_string(op.opcode)) + " has no numbers");
}

Term NumberDomain::reduce(const Reduction& reduction, std::vector<Term>& terms) {
  ScalarOp op = ScalarOp::binary(opcode_of(reduction.kind), reduction.type);
  Term result = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    Term pair[] = {result, terms[i]};
    result = scalar(op, pair);
  }
  return result;
}

Term NumberDomain::contract(const Contraction& contraction, std::span<const Term> left,
                            std::span<const Term> right) {
  ElementType type = contraction.result;
  if (hlo::is_complex(type)) {
    ScalarOp multiply = ScalarOp::binary(Opcode::kMultiply, ElementType::kC128);
    double real = 0, imaginary = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      Term pair[] = {left[i], right[i]};
      Term product = *apply_to_complex(multiply, pair);
      real += product.as_real();
      imaginary += product.as_imaginary();
    }
    return Term::complex(round_to(real, part_type(type)), round_to(imaginary, part_type(type)));
  }
  if (type == ElementType::kPred) {
    bool any = false;
    for (size_t i = 0; i < left.size(); ++i) any = any || (left[i].bits & right[i].bits & 1) != 0;
    return Term::integer(any);
  }
  bool integral = hlo::is_integer(type);
  uint64_t whole = 0;
  double sum = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    if (integral) {
      whole += left[i].bits * right[i].bits;
    } else {
      auto number = [](const Term& t) {
        return t.kind == TermKind::kReal ? t.as_real() : static_cast<double>(t.as_integer());
      };
      sum += number(left[i]) * number(right[i]);
    }
  }
  if (integral) return Term::integer(wrap(static_cast<int64_t>(whole), type));
  return Term::real(round_to(sum, type));
}

Term NumberDomain::opaque(uint64_t, ElementType, std::span<const Term>) {
  throw Unmodelled("no numbers for this operation");
}

int64_t NumberDomain::start_index(const Term& term, int64_t) { return term.as_integer(); }

}  // namespace flipsat::verify
