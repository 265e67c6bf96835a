// Is a module of the kind that can be optimised at all?
#pragma once

#include <set>
#include <string>

#include "hlo/module.h"
#include "optimizer/options.h"

namespace flipsat::optimizer {

// Why the whole module stays as it is, in words for the user; empty if it need not: a schedule that
// is already fixed, or partitioner annotations that are still to be resolved.
std::string why_untouchable(const hlo::Module& module);

// The passes of the greedy order that --only and --disable leave out, by the rules they stand for.
std::set<std::string> passes_without(const Options& options);

}  // namespace flipsat::optimizer
