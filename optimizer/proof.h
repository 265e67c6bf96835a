// The symbolic verifier as `optimize` uses it.
#pragma once

#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "optimizer/options.h"
#include "optimizer/result.h"

namespace flipsat::optimizer {

struct Proof {
  int64_t values = 0;
  int64_t elements = 0;
  std::vector<NotChecked> unchecked;  // by instruction of `after`, with '%'
};

// `wider`: instructions of `after`, by name, that may be more precise than what they replace. Where
// there are none, `after` has to be equal even in class `precise`. Throws VerificationFailed where
// a value of `after` is not what it was in `before`.
Proof prove(const hlo::Module& before, const hlo::Module& after, const hlo::DeviceCounts& counts,
            const Options& options, const std::vector<std::string>& wider);

}  // namespace flipsat::optimizer
