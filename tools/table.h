// What people see of a result: a headline with what is gained, the collectives by key before, after
// the greedy order and after, one line each for time, peak and gap, then the changes.
#pragma once

#include <string>
#include <vector>

#include "optimizer/options.h"
#include "optimizer/result.h"

namespace flipsat::tools {

struct TableOptions {
  bool verbose = false;  // every change, kept sites, rules with their refusals, the e-graph, times
  bool colour = false;
};

// One sentence: "time -26.9 %, launches 7 -> 5, ...; 3 changes, verified" or "nothing to gain",
// and whether that is proved to be the best or how far from it at most.
std::string headline(const optimizer::Options& options, const optimizer::Result& result);

std::string result_table(const std::string& input, const optimizer::Options& options,
                         const optimizer::Result& result, const TableOptions& table);

}  // namespace flipsat::tools
