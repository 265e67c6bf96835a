// What `eqsat run` says: as a line and a table for people, as one line of JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "eqsat/saturation.h"

namespace flipsat::eqsat {

// The same workload loaded and run, perhaps several times.
struct RunRecord {
  struct Run {
    double load_seconds = 0;
    double compile_seconds = 0;
    egraph::RunReport report;
    double rerun_seconds = 0;
  };
  std::string workload;
  double parse_seconds = 0;  // files and rules
  uint64_t nodes = 0;
  uint64_t classes = 0;
  std::vector<Run> runs;
  bool has_rerun = false;
  double peak_mib_before = 0;  // resident, when the files were read
  double peak_mib = 0;         // and at the end
};

std::string text_report(const RunRecord& record, bool with_rules);
std::string json_line(const RunRecord& record);

}  // namespace flipsat::eqsat
