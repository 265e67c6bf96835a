// What changed between two programs of which one is a patched copy of the other, in words and
// figures for the report.
#pragma once

#include <string>
#include <vector>

#include "hlo/module.h"
#include "optimizer/result.h"

namespace flipsat::optimizer {

// "layers.py:42 (jit(step)/dot)" from an instruction's metadata; empty where it has none.
std::string source_of(const hlo::Module& module, const hlo::Instruction& instruction);

// One change for each value whose definition differs, with what is gone and what is new for it.
// Instructions keep their ids in a patched copy.
std::vector<Change> describe_difference(const hlo::Module& before, const hlo::Module& after,
                                        const std::string& rule);

}  // namespace flipsat::optimizer
