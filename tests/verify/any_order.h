// Numbers whose sums do not depend on the order of their terms: HLO says of no reduction in which
// order it adds up, and the symbolic verifier takes it at its word.
#pragma once

#include "tests/optimizer/number_domains.h"

namespace flipsat::verify::testing {

class NumbersInAnyOrder : public optimizer::testing::OrderedNumbers {
 public:
  using OrderedNumbers::OrderedNumbers;
  Term reduce(const Reduction& reduction, std::vector<Term>& terms) override {
    Reduction open = reduction;
    open.order = SumOrder::kOpen;
    return OrderedNumbers::reduce(open, terms);
  }
};

}  // namespace flipsat::verify::testing
