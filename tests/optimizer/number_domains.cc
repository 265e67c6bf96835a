#include "tests/optimizer/number_domains.h"

#include <algorithm>
#include <cmath>

namespace flipsat::optimizer::testing {

using hlo::ElementType;
using verify::Term;

namespace {

ElementType unrounded(ElementType type) { return hlo::is_float(type) ? ElementType::kF64 : type; }

// By value, minus zero before zero, NaN last.
bool in_order(const Term& a, const Term& b) {
  if (a.kind == verify::TermKind::kReal && b.kind == verify::TermKind::kReal) {
    const double x = a.as_real(), y = b.as_real();
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    if (x != y) return x < y;
    return std::signbit(x) && !std::signbit(y);
  }
  return a.as_integer() < b.as_integer();
}

}  // namespace

Term OrderedNumbers::reduce(const verify::Reduction& reduction, std::vector<Term>& terms) {
  if (reduction.order == verify::SumOrder::kOpen) std::sort(terms.begin(), terms.end(), in_order);
  return NumberDomain::reduce(reduction, terms);
}

Term UnroundedNumbers::scalar(const verify::ScalarOp& op, std::span<const Term> arguments) {
  if (op.opcode == hlo::Opcode::kReducePrecision) return arguments[0];
  verify::ScalarOp exact = op;
  exact.result = unrounded(op.result);
  exact.operand = unrounded(op.operand);
  return OrderedNumbers::scalar(exact, arguments);
}

Term UnroundedNumbers::reduce(const verify::Reduction& reduction, std::vector<Term>& terms) {
  verify::Reduction exact = reduction;
  exact.type = unrounded(reduction.type);
  return OrderedNumbers::reduce(exact, terms);
}

Term UnroundedNumbers::contract(const verify::Contraction& contraction, std::span<const Term> left,
                                std::span<const Term> right) {
  verify::Contraction exact = contraction;
  exact.result = unrounded(contraction.result);
  return OrderedNumbers::contract(exact, left, right);
}

}  // namespace flipsat::optimizer::testing
