// Which instructions need a line of their own although they were read inside an operand list.
#pragma once

#include <vector>

#include "hlo/module.h"

namespace flipsat::frontends {

// By id: true for implicit get-tuple-elements and nested instructions that `%tuple#0` or nesting
// cannot spell (any more): roots, control predecessors, those with attributes, and nested ones that
// are used more than once or as a tuple. Of the others, what is true here means nothing.
std::vector<bool> own_lines(const hlo::Module& module);

}  // namespace flipsat::frontends
