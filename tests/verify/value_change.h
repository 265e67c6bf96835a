// Does a program compute a value otherwise than another, at shapes too large to run? Decided on
// numbers for a sample of elements, a few steps deep: what lies further up and is the same
// instruction in both is taken as given.
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::verify::testing {

class ValueChange {
 public:
  // `before` is what all others are patched copies of: ids are the same instructions.
  ValueChange(const hlo::Module& before, const hlo::DeviceCounts& counts)
      : before_(before), counts_(counts) {}

  // Are the values that `after` makes of instruction `at` other than those of `before`, seen from
  // the nearest values that both have? Nullopt where that cannot be told: `right`, a program known
  // to be right, seems to differ as well, or numbers cannot be had.
  std::optional<bool> at(const hlo::Module& after, const hlo::Module& right,
                         hlo::InstructionId at) const;

 private:
  const hlo::Module& before_;
  hlo::DeviceCounts counts_;
};

}  // namespace flipsat::verify::testing
