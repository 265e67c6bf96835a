// Reductions whose order shows in the result. HLO leaves it open, but once for a reduction: all who
// read its result read the same.
#pragma once

#include "hlo/reducer.h"

namespace flipsat::hlo {

// Sums and products of floats and complex numbers; those of integers are modular.
inline bool has_open_order(const Reducer& reducer) {
  return !is_idempotent(reducer.kind) && (is_float(reducer.type) || is_complex(reducer.type));
}

}  // namespace flipsat::hlo
