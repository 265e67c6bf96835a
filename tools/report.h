// The JSON report: stable and versioned, read by other programs. docs/report.md tells what each
// field means, docs/report.schema.json says it to machines.
#pragma once

#include <string>

#include "optimizer/options.h"
#include "optimizer/result.h"
#include "tools/json_text.h"

namespace flipsat::tools {

// {"flipsat": version, "schema": version}, the start of every report.
Json report_head();

// Fields that say what was asked, without `input`: the same for all records of a batch.
Json options_record(const optimizer::Options& options);

// One `programs` record.
Json program_record(const extract::ProgramCost& cost);

// A cost by the objective: microseconds, bytes or launches.
Json objective_number(int64_t value, extract::Objective objective);

// `bound`: {"objective", "value"}, or null where none is known.
Json bound_record(const optimizer::Result& result, extract::Objective objective);

// `assumed`: what the run took as given.
Json assumed_record(const optimizer::Options& options, const hlo::DeviceCounts& counts);

// "input", "greedy" or "egraph".
std::string to_string(optimizer::Origin origin);

// The whole report of `optimize`, also one record of `batch`.
Json optimize_report(const std::string& input, const optimizer::Options& options,
                     const optimizer::Result& result);

}  // namespace flipsat::tools
