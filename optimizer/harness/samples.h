// What the parameters of a small program hold when both sides of a rewrite are run.
#pragma once

#include "verify/number_domain.h"

namespace flipsat::optimizer {

enum class Data : uint8_t {
  kCounting,    // integers that tell positions apart, few enough bits that their sums are exact
  kRandom,      // any value, of ordinary size
  kSpecial,     // what rounds, overflows or is no number; starts far out of range
  kNoOverflow,  // the same without finite values so large that sums overflow
  kFinite,      // the same without infinities and NaN
  // Where products are made, so that none overflows or underflows on the way:
  kSigns,     // plus and minus one, a few twos: products are exact
  kModerate,  // between a half and one and a half
  kExtremes,  // zeros, infinities, NaN, ones
};

// Numbers as the interpreter has them, of parameters that a case can choose.
class SampleDomain : public verify::NumberDomain {
 public:
  SampleDomain() : NumberDomain(1, false) {}
  void set(Data data, uint64_t seed) {
    data_ = data;
    seed_ = seed;
  }
  verify::Term leaf(const verify::Leaf& leaf, hlo::ElementType type, uint32_t part, int64_t device,
                    int64_t index) override;

 private:
  Data data_ = Data::kCounting;
  uint64_t seed_ = 1;
};

// The same parameters, with nothing rounded on the way: converts between floats keep the value,
// sums and products of devices are as exact as double precision.
class ExactDomain : public SampleDomain {
 public:
  verify::Term scalar(const verify::ScalarOp& op, std::span<const verify::Term> arguments) override;
  verify::Term reduce(const verify::Reduction& reduction,
                      std::vector<verify::Term>& terms) override;
};

// The size of what is added up: every value as the sum of the sizes of what it came from, so that
// the error of a computed sum is at most this times the roundings times the unit of its type.
class MagnitudeDomain : public ExactDomain {
 public:
  verify::Term leaf(const verify::Leaf& leaf, hlo::ElementType type, uint32_t part, int64_t device,
                    int64_t index) override;
  verify::Term scalar(const verify::ScalarOp& op, std::span<const verify::Term> arguments) override;
  verify::Term reduce(const verify::Reduction& reduction,
                      std::vector<verify::Term>& terms) override;
};

}  // namespace flipsat::optimizer
