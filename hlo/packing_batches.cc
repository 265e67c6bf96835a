#include "hlo/packing_batches.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "hlo/packing_graph.h"

namespace flipsat::hlo {
namespace {

std::vector<uint32_t> batch_of_items(size_t items, const PackingBatches& batches) {
  std::vector<uint32_t> batch_of(items);
  for (uint32_t batch = 0; batch < batches.size(); ++batch) {
    for (uint32_t item : batches[batch]) batch_of[item] = batch;
  }
  return batch_of;
}

// Who depends on whom, directly or not, among batches in launch order.
BitMatrix batch_reachability(const PackingPredecessors& predecessors,
                             const PackingBatches& batches) {
  const std::vector<uint32_t> batch_of = batch_of_items(predecessors.size(), batches);
  BitMatrix before(batches.size());
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    for (uint32_t item : batches[batch]) {
      for (uint32_t predecessor : predecessors[item]) {
        const uint32_t other = batch_of[predecessor];
        if (before.at(batch, other)) continue;
        before.set(batch, other);
        before.unite(batch, other);
      }
    }
  }
  return before;
}

}  // namespace

PackingBatches in_launch_order(const PackingPredecessors& predecessors, PackingBatches batches) {
  for (auto& batch : batches) std::sort(batch.begin(), batch.end());
  std::sort(batches.begin(), batches.end());
  const std::vector<uint32_t> batch_of = batch_of_items(predecessors.size(), batches);
  std::vector<std::vector<uint32_t>> users(batches.size());
  std::vector<size_t> needed(batches.size());
  for (uint32_t batch = 0; batch < batches.size(); ++batch) {
    for (uint32_t item : batches[batch]) {
      for (uint32_t predecessor : predecessors[item]) {
        users[batch_of[predecessor]].push_back(batch);
        ++needed[batch];
      }
    }
  }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t batch = 0; batch < batches.size(); ++batch) {
    if (needed[batch] == 0) ready.push(batch);
  }
  PackingBatches ordered;
  while (!ready.empty()) {
    const uint32_t batch = ready.top();
    ready.pop();
    for (uint32_t user : users[batch]) {
      if (--needed[user] == 0) ready.push(user);
    }
    ordered.push_back(std::move(batches[batch]));
  }
  if (ordered.size() < batches.size()) return {};
  return ordered;
}

PackingBatches merge_batches(const PackingInstance& instance,
                             const PackingPredecessors& predecessors, PackingBatches batches) {
  BitMatrix before = batch_reachability(predecessors, batches);
  std::vector<std::vector<uint32_t>> of_key(instance.limits.size());
  std::vector<int64_t> bytes(batches.size());
  for (uint32_t batch = 0; batch < batches.size(); ++batch) {
    of_key[instance.items[batches[batch].front()].key].push_back(batch);
    for (uint32_t item : batches[batch]) bytes[batch] += instance.items[item].bytes;
  }
  bool merged = false;
  const auto merge = [&](uint32_t into, uint32_t other) {
    std::vector<uint32_t>& members = batches[into];
    members.insert(members.end(), batches[other].begin(), batches[other].end());
    batches[other].clear();
    bytes[into] += bytes[other];
    before.unite(into, other);
    for (uint32_t batch = 0; batch < batches.size(); ++batch) {
      if (batch == into || (!before.at(batch, into) && !before.at(batch, other))) continue;
      before.set(batch, into);
      before.unite(batch, into);
    }
    merged = true;
  };
  for (size_t key = 0; key < of_key.size(); ++key) {
    const PackingInstance::Limits& limits = instance.limits[key];
    for (size_t i = 0; i < of_key[key].size(); ++i) {
      const uint32_t into = of_key[key][i];
      if (batches[into].empty()) continue;
      for (size_t j = i + 1; j < of_key[key].size(); ++j) {
        const uint32_t other = of_key[key][j];
        if (batches[other].empty() || before.at(other, into) || before.at(into, other)) continue;
        if (bytes[other] > limits.bytes - bytes[into]) continue;
        const size_t members = batches[into].size() + batches[other].size();
        if (static_cast<int64_t>(members) <= limits.count) merge(into, other);
      }
    }
  }
  if (!merged) return batches;
  std::erase_if(batches, [](const auto& batch) { return batch.empty(); });
  return in_launch_order(predecessors, std::move(batches));
}

}  // namespace flipsat::hlo
