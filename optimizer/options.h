// What a user can ask of the optimizer. Names follow the command line (docs/command-line.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "egraph/dag/solved_parts.h"
#include "extract/program_cost.h"
#include "hlo/devices.h"
#include "hlo/numerics.h"
#include "rules/rule_book.h"
#include "solvers/program.h"

namespace flipsat::optimizer {

enum class VerifyLevel : uint8_t { kOff, kQuick, kFull };

struct Options {
  hlo::Numerics numerics = hlo::Numerics::kExact;
  bool bitwise = false;        // no rule that relies on the order of a reduction being open
  bool assume_finite = false;  // no float is NaN or infinite, and no zero's sign counts
  extract::CostOptions cost{hlo::combiner_preset("neuron"), "trn2", extract::Objective::kTime};
  std::set<std::string> disable;          // rules by name
  std::set<std::string> only;             // where not empty: no other rules
  std::vector<rules::Family> more_rules;  // beside those of the catalogue
  hlo::DeviceCountOverrides devices;
  std::unordered_set<std::string> assume_replicated;  // entry parameters by name
  double min_gain = 0;                                // percent of the input's cost
  std::optional<double> max_peak_growth;              // percent of the input's peak
  int64_t node_limit = 0;                             // live e-nodes; 0: by the size of the module
  int64_t effort = 4;                                 // scales every budget of work
  double time_limit_seconds = 0;                      // safety net; 0: none
  bool hoist = false;          // also try the module with gathers moved out of loops (hoist.h)
  bool emit_combined = false;  // write combined collectives (combining.h)
  bool greedy_seed = true;     // the greedy order's program is a candidate
  bool beat_orders = false;    // and so is that of every order of the greedy passes
  int64_t alternatives = 0;    // how many of the next best programs to tell
  std::optional<solvers::Program> solver;  // of what exact extraction leaves open
  VerifyLevel verify = VerifyLevel::kQuick;
  bool headroom = true;  // also look what looser numerics would gain
  // Of other modules too: what is found never depends on it. Null: of this module alone.
  std::shared_ptr<egraph::dag::SolvedParts> solved;
  std::function<void(const std::string& line)>
      greedy_log;  // what the greedy passes say; may be empty
};

}  // namespace flipsat::optimizer
