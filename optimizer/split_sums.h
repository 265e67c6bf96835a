// Is some sum made more than once, or only taken apart from those that it was combined with? HLO
// leaves open in which order a reduction adds: two of one sum may round otherwise, and who read one
// result before would read two.
#pragma once

#include <vector>

#include "language/export.h"
#include "optimizer/result.h"

namespace flipsat::optimizer {

// New reductions of an exported program that stand beside another one made of the same sum.
std::vector<NotChecked> split_sums(const hlo::Module& input, const language::HloGraph& graph,
                                   const language::Export& exported);

}  // namespace flipsat::optimizer
