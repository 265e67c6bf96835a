#include "tools/vary_runs.h"

#include <map>
#include <utility>

#include "optimizer/optimize.h"

namespace flipsat::tools {
namespace {

using optimizer::Change;

// Names of instructions that a run makes tell their opcode and a number, which depends on what else
// is made.
std::vector<std::string> without_numbers(std::vector<std::string> names) {
  for (std::string& name : names) {
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot + 1 == name.size()) continue;
    if (name.find_first_not_of("0123456789", dot + 1) == std::string::npos) name.resize(dot);
  }
  return names;
}

bool is_same(const Change& a, const Change& b) {
  return a.rules == b.rules && a.from == b.from && without_numbers(a.to) == without_numbers(b.to);
}

using Place = std::pair<std::string, std::string>;  // computation, value

std::map<Place, const Change*> by_place(const std::vector<Change>& changes) {
  std::map<Place, const Change*> places;
  for (const Change& change : changes) places[{change.computation, change.at}] = &change;
  return places;
}

// Those of the base run first, in its order, then what is new.
std::vector<VaryDifference> differences(const std::vector<Change>& base,
                                        const std::vector<Change>& now) {
  std::vector<VaryDifference> found;
  const std::map<Place, const Change*> before = by_place(base);
  const std::map<Place, const Change*> after = by_place(now);
  for (const Change& change : base) {
    const auto other = after.find({change.computation, change.at});
    if (other == after.end()) {
      found.push_back({change.at, change.computation, change.rules, {}});
    } else if (!is_same(change, *other->second)) {
      found.push_back({change.at, change.computation, change.rules, other->second->rules});
    }
  }
  for (const Change& change : now) {
    if (before.contains({change.computation, change.at})) continue;
    found.push_back({change.at, change.computation, {}, change.rules});
  }
  return found;
}

}  // namespace

std::vector<VaryRun> run_variation(const Variation& variation, const OptimizedFile& base,
                                   const optimizer::Options& options) {
  const std::vector<bool> surroundings = extract::collective_surroundings(base.input);
  std::vector<VaryRun> runs;
  for (const VaryValue& value : variation.values) {
    optimizer::Options varied = options;
    varied.cost = value.cost;
    varied.headroom = false;
    varied.greedy_log = nullptr;
    optimizer::Result result = optimizer::optimize(base.input, varied);
    VaryRun& run = runs.emplace_back();
    run.same_program = output_text(base.input, result) == base.after;
    if (!run.same_program) run.differences = differences(base.result.changes, result.changes);
    run.changes = static_cast<int64_t>(result.changes.size());
    run.base = extract::price_program(base.result.output, result.counts, value.cost, surroundings);
    run.input = std::move(result.input_cost);
    run.output = std::move(result.output_cost);
  }
  return runs;
}

}  // namespace flipsat::tools
