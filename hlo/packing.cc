#include "hlo/packing.h"

#include <cassert>
#include <optional>

#include "hlo/packing_batches.h"
#include "hlo/packing_graph.h"
#include "hlo/packing_search.h"

namespace flipsat::hlo {
namespace {

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
  packing.batches = in_launch_order(instance, instance.start);
  assert(packing.batches.size() == instance.start.size());
  const PackingGraph graph(instance);
  packing.bound = launches_at_least(graph);
  const auto launches = [&] { return static_cast<int64_t>(packing.batches.size()); };
  const auto improve = [&](const PackingBatches& batches) {
    PackingBatches merged = merge_batches(instance, in_launch_order(instance, batches));
    if (static_cast<int64_t>(merged.size()) < launches()) packing.batches = std::move(merged);
  };
  if (packing.is_optimal()) return packing;
  improve(packing.batches);
  if (packing.is_optimal()) return packing;
  if (auto found = beam_search(graph, launches(), work / 2)) improve(in_items(graph, *found));
  if (packing.is_optimal()) return packing;
  ProofSearch proof = proof_search(graph, launches(), work / 2);
  packing.bound = proof.bound;
  if (proof.found) improve(in_items(graph, *proof.found));
  return packing;
}

}  // namespace flipsat::hlo
