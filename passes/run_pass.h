// One run of one pass over a module: all matches are collected first, in post-order of every
// computation but embedded ones, and then expanded in that order, so that a run works one level
// deep. A module that was changed is verified.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "passes/pass.h"

namespace flipsat::passes {

// What one pass did, over all its runs.
struct PassReport {
  std::string name;
  int runs = 0;
  int64_t matched = 0;  // instructions with its pattern: expanded ones and refused ones
  int64_t expanded = 0;
  std::map<std::string, int64_t> refused;  // by reason, in its last run: what is left
  bool changed = false;
  double seconds = 0;  // for information; the only thing here that differs from run to run
};

// What replacements of a mode take over: a literal pass hands over what it wants handed over.
hlo::Inherit inheritance(Mode mode);

// On the context's module; adds to the report. True if the module was changed. Throws
// IllFormedModule or FatalError where the pass goes wrong; the module is then of no more use.
bool run_pass(const Pass& pass, Context& context, hlo::Inherit inherit, PassReport& report);

}  // namespace flipsat::passes
