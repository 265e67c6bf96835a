// The optimizer's work undone: a module that computes the same and is farther from the best.
//
// A random walk. A step gives one value another definition, one that some rule holds to be equal,
// in either direction; rules are drawn first and then places, so that one with a thousand places
// does not drown the others. After a few steps the program is imported and saturated anew, so that
// later steps go on from where earlier ones led. Rounds that make the program dearer are preferred,
// and each has to be proved equal to the one before, all together to the input.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "hlo/numerics.h"

namespace flipsat::optimizer {

struct ScrambleOptions {
  uint64_t seed = 1;
  int64_t steps = 20;  // at least
  int64_t rules = 5;   // at least, where so many have anything to say about the module
  hlo::Numerics numerics = hlo::Numerics::kExact;
  hlo::DeviceCountOverrides devices;
};

struct Scramble {
  hlo::Module module;
  int64_t steps = 0;                     // fewer than asked for where there were no more
  std::map<std::string, int64_t> rules;  // of which by each
};

// The same input and options give the same module. Throws as optimize does.
Scramble scramble(const hlo::Module& input, const ScrambleOptions& options);

}  // namespace flipsat::optimizer
