// One run of the combiner simulation: the part of a CombinerGraph that merges change. The idea is
// told in combiner_graph.h.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/combiner_graph.h"

namespace flipsat::hlo {

class CombinerRun {
 public:
  explicit CombinerRun(const CombinerGraph& graph);

  void combine(uint8_t kind, const CombinerGraph::Limits& limits,
               std::vector<std::vector<CombinerGraph::Node>>& batches);

 private:
  // A node without users: walks start from these, in the order of the computation.
  struct Sink {
    uint32_t condensed;
    int32_t candidate;  // -1 where the node itself is none
  };
  using Batch = std::vector<int32_t>;  // candidates

  void walk_from(uint32_t start, std::vector<uint32_t>& order);
  void walk_all();
  Batch next_batch(size_t first, const CombinerGraph::Limits& limits) const;
  bool depends_on_any(int32_t candidate, const Batch& batch) const;
  void merge(const Batch& batch);
  void widen_reachability(const Batch& batch);
  bool append_to_sinks(const Batch& batch);
  void bring_forward(const std::vector<uint32_t>& nodes, uint32_t place);
  void sort_remaining();

  const CombinerGraph::Candidate& candidate(int32_t id) const {
    return graph_.candidates_[id].candidate;
  }
  uint32_t condensed(int32_t id) const { return graph_.candidates_[id].condensed; }

  const CombinerGraph& graph_;
  std::vector<std::vector<uint32_t>> dependencies_;
  std::vector<uint32_t> merged_into_;  // condensed node: itself or the batch that it is now
  std::vector<Sink> sinks_;
  std::vector<uint32_t> order_;     // condensed nodes in post-order, merged ones still among them
  std::vector<uint32_t> position_;  // in order_, from 1; 0 for what a walk in progress has met
  uint32_t visited_below_ = 0;      // a walk does not enter nodes at smaller positions
  BitMatrix reach_;                 // widened by merges
  std::vector<bool> done_;          // candidates in a batch
  std::vector<int32_t> remaining_;  // candidates of the kind at work, in post-order; done ones too
};

}  // namespace flipsat::hlo
