// Complex numbers: both parts in double precision, each rounded once.
#include <cmath>
#include <complex>

#include "verify/rounding.h"
#include "verify/scalar_math.h"

namespace flipsat::verify {
namespace {

using hlo::ElementType;
using hlo::Opcode;
using Complex = std::complex<double>;

Complex complex_of(const Term& term) {
  switch (term.kind) {
    case TermKind::kComplex:
      return {term.as_real(), term.as_imaginary()};
    case TermKind::kReal:
      return {term.as_real(), 0};
    default:
      return {static_cast<double>(term.as_integer()), 0};
  }
}

// By the textbook, without the library's recovery of infinities.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

Complex quotient(Complex a, Complex b) {
  double scale = std::max(std::fabs(b.real()), std::fabs(b.imag()));
  if (scale == 0 || !std::isfinite(scale)) scale = 1;
  Complex scaled = b / scale;
  double norm = scaled.real() * scaled.real() + scaled.imag() * scaled.imag();
  Complex over = product(a, std::conj(scaled));
  return {over.real() / norm / scale, over.imag() / norm / scale};
}

std::optional<Complex> on_complex(Opcode opcode, Complex a, Complex b) {
  switch (opcode) {
    case Opcode::kAdd:
      return a + b;
    case Opcode::kSubtract:
      return a - b;
    case Opcode::kMultiply:
      return product(a, b);
    case Opcode::kDivide:
      return quotient(a, b);
    case Opcode::kPower:
      return std::pow(a, b);
    case Opcode::kNegate:
      return -a;
    case Opcode::kSign: {
      double size = std::abs(a);
      return size == 0 ? a : a / size;
    }
    case Opcode::kSqrt:
      return std::sqrt(a);
    case Opcode::kRsqrt:
      return quotient({1, 0}, std::sqrt(a));
    case Opcode::kExponential:
      return std::exp(a);
    case Opcode::kLog:
      return std::log(a);
    case Opcode::kTanh:
      return std::tanh(a);
    case Opcode::kSine:
      return std::sin(a);
    case Opcode::kCosine:
      return std::cos(a);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Term> apply_to_complex(const ScalarOp& op, std::span<const Term> args) {
  if (op.opcode == Opcode::kComplex) {
    return Term::complex(args[0].as_real(), args[1].as_real());
  }
  Complex a = complex_of(args[0]);
  Complex b = args.size() > 1 ? complex_of(args[1]) : Complex{};
  if (op.opcode == Opcode::kCompare) {
    if (op.direction == Direction::kEq) return Term::integer(a == b);
    if (op.direction == Direction::kNe) return Term::integer(a != b);
    return std::nullopt;
  }
  if (op.opcode == Opcode::kReal) return Term::real(a.real());
  if (op.opcode == Opcode::kImag) return Term::real(a.imag());
  if (op.opcode == Opcode::kAbs)
    return Term::real(round_to(std::hypot(a.real(), a.imag()), op.result));
  if (!hlo::is_complex(op.result)) return std::nullopt;
  std::optional<Complex> value = on_complex(op.opcode, a, b);
  if (!value) return std::nullopt;
  ElementType part = part_type(op.result);
  return Term::complex(round_to(value->real(), part), round_to(value->imag(), part));
}

}  // namespace flipsat::verify
