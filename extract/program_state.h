// One program that the e-graph holds: a definition for each class, and what the program costs.
//
// The cost is the true one, launches after the combiner included, kept by region: a change of
// choices re-prices the regions that it touches and no other. It equals price_program on the
// exported module where no collectives are written as one of several operands again; where some
// are, it counts them one by one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "extract/problem.h"
#include "language/selection.h"

namespace flipsat::extract {

// What is minimised: the objective, then modelled time, then how many definitions are new or gone.
struct StateCost {
  int64_t objective = 0;
  Picoseconds time = 0;
  int64_t changed = 0;
  auto operator<=>(const StateCost&) const = default;
};

struct RegionCost {
  Picoseconds local = 0;
  Picoseconds launch = 0;
  int64_t launches = 0;
  int64_t wire = 0;
  int64_t changed = 0;
};

class ProgramState {
 public:
  explicit ProgramState(Problem& problem);

  // egraph::kNoId: every original keeps its own definition.
  NodeId chosen(ClassId cls) const { return chosen_[cls]; }
  void choose(ClassId cls, NodeId node);

  // Nullopt where the choices make a value depend on itself.
  std::optional<StateCost> cost();

  // Choices and prices as they stand, to come back to after a trial.
  struct Snapshot {
    std::vector<std::pair<ClassId, NodeId>> choices;  // of the classes asked for
    std::map<hlo::ComputationId, RegionCost> regions;
  };
  Snapshot snapshot(const std::vector<std::pair<ClassId, NodeId>>& classes) const;
  void restore(const Snapshot& snapshot);
  // Makes `is_live` and `live_units` speak of the present choices.
  void settle();
  // What every program holds of a region: its result first or last as in the text.
  const std::vector<Unit>& pinned(hlo::ComputationId region) const { return pinned_.at(region); }
  // What the objective counts of one region, as of the last `settle`.
  int64_t objective(hlo::ComputationId region) const;
  // Is the unit part of the program, as of the last `settle`?
  bool is_live(Unit unit) const { return unit < live_.size() && live_[unit]; }
  // All that are, of one region, operands before users.
  const std::vector<Unit>& live_units(hlo::ComputationId region) { return live_units_[region]; }
  // The combiner's batches among them.
  const std::vector<std::vector<Unit>>& live_batches(hlo::ComputationId region) {
    return live_batches_[region];
  }
  // Definitions looked at by all calls of `cost`: the measure of work.
  int64_t work() const { return work_; }

  // What a unit refers to, control predecessors included, each once in order.
  std::vector<Unit> operands(Unit unit);
  // What a reference comes to under the present choices; kNoId where nothing defines the class.
  Unit resolve(const Problem::Reference& reference) {
    if (reference.cls == egraph::kNoId) return reference.written;
    NodeId node = chosen_[reference.cls];
    return node == egraph::kNoId ? reference.written : problem_.unit(node);
  }
  // The definition of a class; that of its first original where nothing else was chosen.
  Unit resolve_class(ClassId cls);
  language::Selection selection() const;

 private:
  int64_t objective_of(const RegionCost& cost) const;
  bool price_region(hlo::ComputationId region, RegionCost& cost);
  bool reach(Unit root, std::vector<Unit>& order);

  Problem& problem_;
  std::vector<NodeId> chosen_;                              // by class
  std::map<hlo::ComputationId, std::vector<Unit>> pinned_;  // what stays whatever is chosen
  std::map<hlo::ComputationId, RegionCost> regions_;        // priced
  std::vector<uint8_t> live_;                               // by unit
  std::map<hlo::ComputationId, std::vector<Unit>> live_units_;
  std::map<hlo::ComputationId, std::vector<std::vector<Unit>>> live_batches_;
  std::vector<uint8_t> mark_;  // by unit, during a walk
  std::vector<std::pair<Unit, uint32_t>> stack_;
  std::vector<uint32_t> graph_node_;    // by unit, during a simulation
  std::set<hlo::ComputationId> stale_;  // priced, but live units are of a trial
  int64_t work_ = 0;
};

}  // namespace flipsat::extract
