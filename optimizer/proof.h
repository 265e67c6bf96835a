// The symbolic verifier as `optimize` uses it.
#pragma once

#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "optimizer/options.h"
#include "optimizer/result.h"
#include "verify/compare.h"

namespace flipsat::optimizer {

struct Proof {
  int64_t values = 0;
  int64_t elements = 0;
  std::vector<NotChecked> unchecked;  // by instruction of `after`, with '%'
};

// How two programs are compared under the options. `wider`: instructions of the second, by name,
// that may be more precise than what they replace. Where there are none, it has to be equal even in
// class `precise`.
verify::Options proof_options(const hlo::DeviceCounts& counts, const Options& options,
                              const std::vector<std::string>& wider);

// Throws VerificationFailed where
// a value of `after` is not what it was in `before`.
Proof prove(const hlo::Module& before, const hlo::Module& after, const hlo::DeviceCounts& counts,
            const Options& options, const std::vector<std::string>& wider);

}  // namespace flipsat::optimizer
