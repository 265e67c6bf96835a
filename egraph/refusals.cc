#include "egraph/refusals.h"

#include <algorithm>
#include <cstring>

namespace flipsat::egraph {

void RefusalCounter::take(std::vector<Refusal>& refusals, const EGraph& graph) {
  list_.insert(list_.end(), refusals.begin(), refusals.end());
  refusals.clear();
  if (list_.size() < next_compaction_) return;
  compact(graph);
  next_compaction_ = std::max<size_t>(1024, 2 * list_.size());
}

void RefusalCounter::compact(const EGraph& graph) {
  for (Refusal& refusal : list_) refusal.root = graph.find(refusal.root);
  // By words, not by address: two guards may share a reason that is stored twice.
  const auto order = [](const Refusal& a, const Refusal& b) {
    return a.root != b.root ? a.root < b.root : std::strcmp(a.reason, b.reason) < 0;
  };
  const auto same = [](const Refusal& a, const Refusal& b) {
    return a.root == b.root && std::strcmp(a.reason, b.reason) == 0;
  };
  std::ranges::sort(list_, order);
  const auto doubles = std::ranges::unique(list_, same);
  list_.erase(doubles.begin(), doubles.end());
}

std::map<std::string, uint64_t> RefusalCounter::count(const EGraph& graph) {
  compact(graph);
  std::map<std::string, uint64_t> counts;
  for (const Refusal& refusal : list_) ++counts[refusal.reason];
  return counts;
}

}  // namespace flipsat::egraph
