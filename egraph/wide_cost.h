// A cost that cannot overflow: a double with an exponent of its own.
//
// The tree cost of a graph that shares a node twice at every level doubles with each level, and a
// hundred thousand levels are not rare. Sums below 2^53 are exact.
#pragma once

#include <cstdint>

namespace flipsat::egraph {

class WideCost {
 public:
  WideCost() = default;
  explicit WideCost(uint64_t cost) : mantissa_(static_cast<double>(cost)) {}

  WideCost& operator+=(const WideCost& other) {
    if (exponent_ == other.exponent_) {
      mantissa_ += other.mantissa_;
    } else if (exponent_ > other.exponent_) {
      if (exponent_ - other.exponent_ == 1) mantissa_ += other.mantissa_ / kBase;
    } else {
      const double small = other.exponent_ - exponent_ == 1 ? mantissa_ / kBase : 0;
      mantissa_ = other.mantissa_ + small;
      exponent_ = other.exponent_;
    }
    if (mantissa_ >= kBase) {
      mantissa_ /= kBase;
      ++exponent_;
    }
    return *this;
  }

  bool operator==(const WideCost&) const = default;
  bool operator<(const WideCost& other) const {
    return exponent_ != other.exponent_ ? exponent_ < other.exponent_ : mantissa_ < other.mantissa_;
  }

 private:
  static constexpr double kBase = 0x1p512;

  // mantissa * kBase^exponent, where mantissa is below kBase, and at least 1 if the exponent is
  // not 0.
  double mantissa_ = 0;
  int64_t exponent_ = 0;
};

}  // namespace flipsat::egraph
