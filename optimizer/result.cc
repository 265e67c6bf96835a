#include "optimizer/result.h"

#include <cmath>

namespace flipsat::optimizer {

std::optional<double> gap(const Result& result, extract::Objective objective) {
  if (!result.bound) return std::nullopt;
  const int64_t reached = result.output_cost.value(objective);
  if (reached == 0) return 0.0;
  const double gap = static_cast<double>(reached - *result.bound) / static_cast<double>(reached);
  return std::floor(gap * 1e5) / 1e5;
}

}  // namespace flipsat::optimizer
