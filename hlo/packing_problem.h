// The collectives of a computation as a packing instance: what a combiner could launch together, by
// its own keys and limits, beside what its walk does launch together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hlo/combiner_simulation.h"
#include "hlo/packing.h"

namespace flipsat::hlo {

struct PackingProblem {
  std::vector<InstructionId> items;  // in text order; the instance numbers them so
  PackingInstance instance;
  // Launches that nothing of the instance is in, at most.
  int64_t other_launches = 0;
};

class PackingProblems {
 public:
  PackingProblems(const Module& module, const CallGraph& calls, const CombinerOptions& options);

  // Items are collectives that a combined one can be written for, and only those that can be
  // written as one share a key. `start` is the combiner's walk, cut where it would mix the two.
  PackingProblem writable(ComputationId computation) { return problem(computation, true); }
  // All that the combiner may take, by its own keys: for a bound.
  PackingProblem combinable(ComputationId computation) { return problem(computation, false); }

  // What the combiner launches in a computation.
  std::vector<Launch> launches(ComputationId computation) {
    return simulation_.launches(module_, computation);
  }

 private:
  using Key = std::pair<uint32_t, std::string>;

  PackingProblem problem(ComputationId computation, bool writable);
  std::optional<CombinerGraph::Candidate> candidate(const Instruction& instruction, bool writable,
                                                    std::map<Key, uint32_t>& keys);
  void mark(ComputationId computation);

  const Module& module_;
  CombinerSimulation simulation_;
  CombinerKeys keys_;
  std::vector<bool> controls_others_;  // by instruction, of the computation at work
  std::vector<bool> is_read_;
};

}  // namespace flipsat::hlo
