// Equality saturation: search all rules on the rebuilt graph, apply all matches, rebuild, again.
//
//   RunOptions options;
//   options.limits.nodes = 200'000;
//   const RunReport report = run(graph, rules, options);
//   to_string(report.stop);                            // "saturated"
//   report.rules[rules.index_of("add-comm")].unions;
//
// The same graph, rules and limits give the same e-graph, node for node (unless the `seconds` limit
// ends the run).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "egraph/limits.h"
#include "egraph/rule.h"
#include "egraph/scheduler.h"

namespace flipsat::egraph {

enum class SearchMode : uint8_t {
  kIncremental,  // only what can be new since the rule last ran
  kFull,         // everything, every time: the plain way, for tests
};

// Some of the rules, run to an end of their own. A phase that ends by its own limits hands over to
// the next; the run's limits end the run.
struct Phase {
  std::vector<uint32_t> rules = {};  // indices in the rule set (std::logic_error beyond it)
  SchedulerOptions scheduler = {};
  Limits limits = {};  // for this phase alone; node, class and byte limits are of the graph
};

struct RunOptions {
  Limits limits = {};
  SchedulerOptions scheduler = {};  // where no phases are given
  std::vector<Phase> phases = {};   // empty: one phase of all rules
  SearchMode search = SearchMode::kIncremental;
  // Called on the rebuilt graph after each iteration, counted from 0 over the whole run; may change
  // it; false ends the run.
  std::function<bool(EGraph&, uint64_t iteration)> after_iteration = {};
};

struct RuleStats {
  std::string name;
  uint64_t searched = 0;      // nodes (or classes) at which matching started
  uint64_t matched = 0;       // matches found, before guards
  uint64_t applied = 0;       // right-hand sides run: not for what the graph said already
  uint64_t unions = 0;        // of which changed the graph by a union with the root
  uint64_t edges = 0;         // directed edges added
  uint64_t bans = 0;          // by the back-off scheduler
  double search_seconds = 0;  // its share of a search of all, by nodes looked at
  double apply_seconds = 0;
  // By reason: the distinct root classes, as they stand at the end, where the rule was refused.
  std::map<std::string, uint64_t> refused;
  // The same one by one: root and reason, by root.
  std::vector<std::pair<ClassId, const char*>> refused_at;
};

struct IterationStats {
  uint64_t nodes = 0;  // after its rebuild
  uint64_t classes = 0;
  uint64_t matches = 0;
  double search_seconds = 0;
  double apply_seconds = 0;
  double rebuild_seconds = 0;
};

struct RunReport {
  StopReason stop;
  std::vector<StopReason> phases;  // how each phase that began ended
  std::vector<IterationStats> iterations;
  std::vector<RuleStats> rules;  // by rule index
  double seconds = 0;
};

// Rules compiled for a graph. Runs of one saturator go on from one another: what a rule has been
// searched for is not searched again, unless the graph has been taken back by `EGraph::pop`.
class Saturator {
 public:
  // Keeps references to both, which must not change otherwise than by growing. Throws
  // std::logic_error for rules that cannot be compiled, and says why.
  Saturator(EGraph& graph, const RuleSet& rules);
  ~Saturator();
  Saturator(const Saturator&) = delete;
  Saturator& operator=(const Saturator&) = delete;

  // Leaves the graph rebuilt. Exceptions of guards and right-hand sides pass through.
  RunReport run(const RunOptions& options = {});

 private:
  class State;
  std::unique_ptr<State> state_;
};

// One run of a saturator of its own.
RunReport run(EGraph& graph, const RuleSet& rules, const RunOptions& options = {});

}  // namespace flipsat::egraph
