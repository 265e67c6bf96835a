// The programs next to the output: what else there is, and how much more it costs.
#pragma once

#include "optimizer/egraph_program.h"
#include "optimizer/options.h"
#include "optimizer/result.h"

namespace flipsat::optimizer {

// The `options.alternatives` next best programs of the e-graph that differ from the output, each
// proved as an output is; those that cannot be checked, and those whose peak is above what is
// allowed, are left out. `program` is as after its last `extract`.
AlternativesReport find_alternatives(const hlo::Module& input, const hlo::DeviceCounts& counts,
                                     const Options& options, const std::vector<bool>& surroundings,
                                     EGraphProgram& program, const Result& result);

}  // namespace flipsat::optimizer
