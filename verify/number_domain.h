// Elements as numbers: random parameters, true rounding of every operation.
//
// Sums run in the order of their terms, rounded at every step: HLO leaves the order open, and this
// is one that it allows. How a dot or convolution accumulates HLO leaves open as well; here
// products are summed in double precision, in the order of the contracted index, and rounded once
// (for f64 at every step).
#pragma once

#include "verify/domain.h"

namespace flipsat::verify {

class NumberDomain : public Domain {
 public:
  // `special_values`: one float in eight is a zero of either sign, an infinity, NaN, or tiny.
  NumberDomain(uint64_t seed, bool special_values) : seed_(seed), special_values_(special_values) {}

  Term leaf(const Leaf& leaf, hlo::ElementType type, uint32_t part, int64_t device,
            int64_t index) override;
  Term constant(const hlo::Literal& literal, int64_t index) override;
  Term scalar(const ScalarOp& op, std::span<const Term> arguments) override;
  Term reduce(const Reduction& reduction, std::vector<Term>& terms) override;
  Term contract(const Contraction& contraction, std::span<const Term> left,
                std::span<const Term> right) override;
  Term opaque(uint64_t tag, hlo::ElementType type, std::span<const Term> terms) override;
  int64_t start_index(const Term& term, int64_t starts) override;

 private:
  double random_real(uint64_t random, hlo::ElementType type) const;

  uint64_t seed_;
  bool special_values_;
};

// The scalar operation that a recognised reducer applies.
hlo::Opcode opcode_of(hlo::ReducerKind kind);

// A random integer of a type for an element that is fingerprinted by `random`: near the starts that
// are in range where it is a start index, else small or of any size.
int64_t random_integer(uint64_t random, hlo::ElementType type, int64_t starts);

}  // namespace flipsat::verify
