// How the program that is chosen depends on a figure: the optimizer run anew for each value, and
// what it then does otherwise than in the base run.
#pragma once

#include <string>
#include <vector>

#include "optimizer/options.h"
#include "optimizer/result.h"
#include "tools/differences.h"
#include "tools/json_text.h"
#include "tools/optimize_file.h"
#include "tools/vary.h"

namespace flipsat::tools {

struct VaryRun {
  extract::ProgramCost input;   // the input,
  extract::ProgramCost base;    // the base run's program
  extract::ProgramCost output;  // and this run's, all with the figure varied
  int64_t changes = 0;
  bool same_program = true;             // as the base run writes
  std::vector<Difference> differences;  // from the base run
};

// One run a value, in order. `base` is the base run, made with `options`. Throws as
// optimizer::optimize does.
std::vector<VaryRun> run_variation(const Variation& variation, const OptimizedFile& base,
                                   const optimizer::Options& options);

// The table for people; only some differences a run unless `all`.
std::string vary_table(const Variation& variation, const std::vector<VaryRun>& runs,
                       const optimizer::Result& base, bool all);
// The same for programs (docs/report.md).
Json vary_record(const Variation& variation, const std::vector<VaryRun>& runs);

}  // namespace flipsat::tools
