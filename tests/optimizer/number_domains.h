// Domains of numbers in which programs of one class have to agree to the bit.
#pragma once

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

}  // namespace flipsat::optimizer::testing
