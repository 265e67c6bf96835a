// The combiner simulation, one computation at a time, for callers that ask again after a change.
//
// Keys are interned for the life of the object. A caller that holds something else than a module
// (an extraction's choice, say) builds a CombinerGraph itself, with candidates from CombinerKeys.
#pragma once

#include <vector>

#include "hlo/combiner.h"
#include "hlo/combiner_graph.h"
#include "hlo/combiner_keys.h"

namespace flipsat::hlo {

class CombinerSimulation {
 public:
  CombinerSimulation(const Module& module, const CallGraph& calls, const CombinerOptions& options);

  // Launches of one computation, sorted as `simulate_combiner` sorts them. `module` is the one of
  // the constructor or an edited copy, with the same computations. Cost: linear in the computation,
  // and what CombinerGraph says where it has candidates.
  std::vector<Launch> launches(const Module& module, ComputationId computation);

  bool combines_in(ComputationId computation) const { return combines_[computation]; }
  // By kind; a kind that is left alone has no bytes.
  const std::vector<CombinerGraph::Limits>& limits() const { return limits_; }

 private:
  CombinerKeys keys_;
  std::vector<CombinerGraph::Limits> limits_;
  std::vector<bool> combines_;  // by computation
  std::vector<CombinerGraph::Node> node_of_;
  std::vector<bool> controls_others_;
};

}  // namespace flipsat::hlo
