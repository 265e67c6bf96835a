// The main job: a module in, a module out that computes the same and never costs more.
#pragma once

#include <functional>
#include <stdexcept>

#include "optimizer/options.h"
#include "optimizer/result.h"

namespace flipsat::optimizer {

// The verifier found that a rewrite of ours changes what the program computes. Nothing may be
// written; this is a bug of ours, reported with the value at which it shows.
class VerificationFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws hlo::InputError for a malformed module and VerificationFailed.
Result optimize(const hlo::Module& input, const Options& options);

// Is shown the e-graph that was worked on, as the last extraction left it.
class EGraphProgram;
using Look = std::function<void(EGraphProgram&, const Result&)>;

// The same, with a look at the end; there is none at a module that is left alone as a whole.
Result optimize(const hlo::Module& input, const Options& options, const Look& look);

}  // namespace flipsat::optimizer
