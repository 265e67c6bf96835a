// The collectives of a computation as a packing instance: what a combiner could launch together, by
// its own keys and limits, beside what its walk does launch together.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hlo/combiner_simulation.h"
#include "hlo/packing.h"

namespace flipsat::hlo {

struct PackingProblem {
  std::vector<InstructionId> items;  // in text order; the instance numbers them so
  PackingInstance instance;
  // Launches that have a member which is no item.
  int64_t other_launches = 0;
  // Combiner keys of which the walk has a launch that cannot be written as one.
  std::set<uint32_t> mixed;
};

class PackingProblems {
 public:
  PackingProblems(const Module& module, const CallGraph& calls, const CombinerOptions& options);

  // Items are collectives that a combined one can be written for, and only those that can be
  // written as one share a key. `start` is the combiner's walk, cut where it would mix the two.
  // What has a combiner key of `left_out` is no item.
  PackingProblem writable(ComputationId computation, const std::set<uint32_t>& left_out = {}) {
    return problem(computation, true, left_out);
  }
  // All that the combiner may take, by its own keys: for a bound.
  PackingProblem combinable(ComputationId computation) { return problem(computation, false, {}); }

  // What the combiner launches in a computation.
  std::vector<Launch> launches(ComputationId computation) {
    return simulation_.launches(module_, computation);
  }

 private:
  using Key = std::pair<uint32_t, std::string>;

  PackingProblem problem(ComputationId computation, bool writable,
                         const std::set<uint32_t>& left_out);
  std::optional<CombinerGraph::Candidate> candidate(const Instruction& instruction);
  void mark(ComputationId computation);

  const Module& module_;
  CombinerSimulation simulation_;
  CombinerKeys keys_;
  std::vector<bool> controls_others_;  // by instruction, of the computation at work
  std::vector<bool> is_read_;
};

}  // namespace flipsat::hlo
