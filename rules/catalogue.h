// The table of all rules: what `flipsat rules` and the docs list. Each row comes from the rule's
// own file; nothing is written twice.
#pragma once

#include <string>
#include <vector>

#include "hlo/numerics.h"

namespace flipsat::rules {

struct RuleInfo {
  std::string name;       // the switch: "gather-convert"
  std::string family;     // "flips", "see-through", "collective algebra"
  std::string equation;   // "convert(AG(x)) = AG(convert(x))"
  std::string condition;  // in words
  hlo::Numerics numerics = hlo::Numerics::kExact;
  bool order_open = false;
  bool both_directions = true;
  bool needs_finite = false;  // holds where no float is NaN or infinite: --assume-finite
};

std::vector<RuleInfo> catalogue();

}  // namespace flipsat::rules
