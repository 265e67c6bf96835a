// Domains of numbers in which programs of one class have to agree to the bit.
#pragma once

#include <cmath>

#include "verify/number_domain.h"

namespace flipsat::optimizer::testing {

// True rounding; what a collective adds up is put in order first, since HLO leaves the order inside
// one reduction open.
class OrderedNumbers : public verify::NumberDomain {
 public:
  using NumberDomain::NumberDomain;
  verify::Term reduce(const verify::Reduction& reduction,
                      std::vector<verify::Term>& terms) override;
};

// The same without rounding between floats: a wider rendering of a sum is equal.
class UnroundedNumbers : public OrderedNumbers {
 public:
  using OrderedNumbers::OrderedNumbers;
  verify::Term scalar(const verify::ScalarOp& op, std::span<const verify::Term> arguments) override;
  verify::Term reduce(const verify::Reduction& reduction,
                      std::vector<verify::Term>& terms) override;
  verify::Term contract(const verify::Contraction& contraction, std::span<const verify::Term> left,
                        std::span<const verify::Term> right) override;
};

// Of a program of which that is promised, zeros have no sign; where it makes what is not finite, it
// is not compared.
template <typename Numbers>
class FiniteNumbers : public Numbers {
 public:
  using Numbers::Numbers;
  verify::Term leaf(const verify::Leaf& leaf, hlo::ElementType type, uint32_t part, int64_t device,
                    int64_t index) override {
    return finite(Numbers::leaf(leaf, type, part, device, index));
  }
  verify::Term constant(const hlo::Literal& literal, int64_t index) override {
    return finite(Numbers::constant(literal, index));
  }
  verify::Term scalar(const verify::ScalarOp& op,
                      std::span<const verify::Term> arguments) override {
    return finite(Numbers::scalar(op, arguments));
  }
  verify::Term reduce(const verify::Reduction& reduction,
                      std::vector<verify::Term>& terms) override {
    return finite(Numbers::reduce(reduction, terms));
  }
  verify::Term contract(const verify::Contraction& contraction, std::span<const verify::Term> left,
                        std::span<const verify::Term> right) override {
    return finite(Numbers::contract(contraction, left, right));
  }

 private:
  static verify::Term finite(const verify::Term& term) {
    if (term.kind != verify::TermKind::kReal) return term;
    if (!std::isfinite(term.as_real())) throw verify::Unmodelled("a value that is not finite");
    return term.as_real() == 0 ? verify::Term::real(0) : term;
  }
};

}  // namespace flipsat::optimizer::testing
