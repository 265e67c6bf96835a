// What `explain` and `show` take on the command line: the options of `optimize`, but for those that
// look for the output elsewhere than in the module's own e-graph.
#pragma once

#include "tools/options.h"

namespace flipsat::tools {

// Throws UsageError for options that the command cannot follow, and as optimizer_options does.
optimizer::Options inspected_options(const OptimizerArguments& arguments,
                                     const std::string& command);

// The instruction of the input called `name`, with or without '%'; "name@computation" where several
// computations have one of that name. Throws UsageError where there is none, with the nearest name,
// or several.
hlo::InstructionId instruction_option(const hlo::Module& module, const std::string& option,
                                      const std::string& name);

}  // namespace flipsat::tools
