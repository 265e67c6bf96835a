#include "hlo/packing.h"

#include <cassert>
#include <optional>

#include "hlo/packing_batches.h"
#include "hlo/packing_graph.h"
#include "hlo/packing_search.h"
#include "hlo/packing_windows.h"

namespace flipsat::hlo {
namespace {

// A proof is within reach where few launches are in doubt, or few collectives there at all.
constexpr int64_t kProvableGap = 3;
constexpr size_t kProvableItems = 128;

PackingBatches in_items(const PackingGraph& graph, Launches launches) {
  for (auto& launch : launches) {
    for (uint32_t& item : launch) item = graph.original(item);
  }
  return launches;
}

int64_t launches_at_least(const PackingGraph& graph) {
  const std::vector<uint64_t> nothing(graph.words());
  int64_t launches = 0;
  for (size_t key = 0; key < graph.keys(); ++key) {
    launches += graph.launches_left(key, nothing.data());
  }
  return launches;
}

}  // namespace

int64_t launches_at_least(const PackingInstance& instance) {
  return launches_at_least(PackingGraph(instance));
}

Packing pack(const PackingInstance& instance, int64_t work) {
  Packing packing;
  const PackingPredecessors predecessors = immediate_predecessors(instance);
  packing.batches = in_launch_order(predecessors, instance.start);
  assert(packing.batches.size() == instance.start.size());
  const PackingGraph graph(instance, predecessors);
  packing.bound = launches_at_least(graph);
  const auto launches = [&] { return static_cast<int64_t>(packing.batches.size()); };
  const auto improve = [&](const PackingBatches& batches) {
    PackingBatches merged =
        merge_batches(instance, predecessors, in_launch_order(predecessors, batches));
    if (static_cast<int64_t>(merged.size()) < launches()) packing.batches = std::move(merged);
  };
  if (packing.is_optimal()) return packing;
  improve(packing.batches);
  if (packing.is_optimal()) return packing;
  if (auto found = beam_search(graph, launches(), work / 2)) improve(in_items(graph, *found));
  if (packing.is_optimal()) return packing;
  improve(improve_in_windows(instance, packing.batches, work / 4));
  const bool is_provable =
      launches() - packing.bound <= kProvableGap || instance.items.size() <= kProvableItems;
  if (packing.is_optimal() || !is_provable) return packing;
  ProofSearch proof = proof_search(graph, launches(), work / 2);
  packing.bound = proof.bound;
  if (proof.found) improve(in_items(graph, *proof.found));
  return packing;
}

}  // namespace flipsat::hlo
