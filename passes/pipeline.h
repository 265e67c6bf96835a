// The greedy baseline: the six passes one after the other, as the compiler would run them.
//
// Every pass is run by one wrapper (run_pass.h), which works one level deep; what a rewrite makes
// possible is seen by the next run. In mode `literal` a replacement inherits neither name nor
// attributes: it has what the compiler's pass gives it.
//
//   PipelineReport report = run_greedy(module, {.sweeps = Sweeps::kFixPoint});
#pragma once

#include <set>
#include <string>
#include <vector>

#include "passes/run_pass.h"

namespace flipsat::passes {

enum class Sweeps {
  kOnce,
  kFixPoint,  // over the whole list, until a sweep changes nothing
};

struct GreedyOptions {
  Mode mode = Mode::kSound;
  std::vector<std::string> order = registry_order();  // names may be left out or repeated
  std::set<std::string> disabled = {};
  Sweeps sweeps = Sweeps::kOnce;
  int max_sweeps = 64;  // a fix-point that takes longer is given up, see `settled`
  hlo::Numerics numerics = hlo::Numerics::kExact;
  hlo::DeviceCountOverrides devices = {};
  std::set<std::string> assume_replicated = {};  // entry parameters, by name
  Log log = {};  // where set: what each pass found, refused and why, and created
};

struct PipelineReport {
  std::vector<PassReport> passes;  // one for each name in the order, at its first place
  int sweeps = 0;
  bool changed = false;
  bool settled = true;  // false: stopped by max_sweeps while there was still a change
};

// What a matcher is told of these.
ContextOptions context_options(const GreedyOptions& options);

// Rewrites the module in place. Throws hlo::InputError where the module is not well formed to begin
// with, std::invalid_argument for the name of no pass, and where a pass goes wrong (literal ones
// do) IllFormedModule or FatalError; the module is then of no more use.
PipelineReport run_greedy(hlo::Module& module, const GreedyOptions& options = {});

}  // namespace flipsat::passes
