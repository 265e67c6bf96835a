// Which dims of a reshape's operand go into which dims of its result, as the compiler's reshape
// flip sees it: by runs of dims with equal products (XLA's CommonFactors). All operand dims of a
// run go into all its result dims. Where inside a result dim they end up is not said, and is what
// the flip would have to know.
#pragma once

#include <utility>
#include <vector>

#include "hlo/shape.h"

namespace flipsat::passes::literal {

// The borders (i, j) of the shortest runs a[i..i') and b[j..j') that have the same product, from
// (0, 0) to the ends. Dims of size 1 may form runs that are empty on the other side. Throws
// FatalError where the products of a and b differ or are too large.
std::vector<std::pair<int, int>> common_factors(const hlo::Dims& a, const hlo::Dims& b);

class ReshapeDims {
 public:
  ReshapeDims(const hlo::Dims& operand, const hlo::Dims& result);

  // All dims of the result that share a run with dim `d` of the operand.
  std::vector<int> result_dims_of(int d) const;

  // Every run has exactly one dim of the result.
  bool only_merges() const;

  // Other dims of the operand in the run of `d`, those of size 1 not counted.
  int others_merged_with(int d) const;

 private:
  size_t run_of(int d) const;

  hlo::Dims operand_;
  std::vector<std::pair<int, int>> borders_;  // (result, operand)
};

}  // namespace flipsat::passes::literal
