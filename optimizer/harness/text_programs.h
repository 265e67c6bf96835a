// The programs on which a rule written as text is tried: the side that it matches as the result of
// a small program, over parameters of all shapes and types, in all groups, with attributes and
// start indices of every kind.
#pragma once

#include "optimizer/harness/harness.h"
#include "rules/text/direction.h"

namespace flipsat::optimizer {

Space programs_of(const rules::text::Direction& direction);
// Those of one side alone, "transpose[p](all-gather[d, G](x))": for a rule written in C++. Throws
// hlo::InputError where it is none.
Space programs_of(const std::string& side);

// The rule's own rewrites in that direction.
Rewriter text_rewriter(const rules::text::Direction& direction);

}  // namespace flipsat::optimizer
