// Is a program that some passes have made of a module right?
#pragma once

#include <cstdint>
#include <string>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "optimizer/options.h"

namespace flipsat::laboratory {

enum class Correct : uint8_t { kYes, kNo, kUnchecked };

struct Correctness {
  Correct correct = Correct::kUnchecked;
  std::string why;  // where it is not kYes
};

// As `flipsat verify` tells it: the symbolic interpreter, under the options' class; and where that
// cannot tell, a small module's numbers, which can show a difference.
Correctness check(const hlo::Module& before, const hlo::Module& program,
                  const hlo::DeviceCounts& counts, const optimizer::Options& options);

// "yes", "no" or "unchecked".
std::string to_string(Correct correct);

}  // namespace flipsat::laboratory
