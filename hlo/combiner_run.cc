#include "hlo/combiner_run.h"

#include <algorithm>
#include <numeric>

namespace flipsat::hlo {

CombinerRun::CombinerRun(const CombinerGraph& graph)
    : graph_(graph), reach_(graph.reachability()), done_(graph.candidates_.size()) {
  dependencies_.reserve(graph.condensed_.size());
  for (const auto& node : graph.condensed_) dependencies_.push_back(node.dependencies);
  merged_into_.resize(graph.condensed_.size());
  std::iota(merged_into_.begin(), merged_into_.end(), 0);
  for (size_t node = 0; node < graph.is_used_.size(); ++node) {
    if (graph.is_used_[node] || graph.stands_for_[node] == CombinerGraph::kNone) continue;
    sinks_.push_back({graph.stands_for_[node], graph.candidate_of_[node]});
  }
  walk_all();
}

// Appends to `order`, in post-order, what `start` depends on and was not visited, and `start`.
void CombinerRun::walk_from(uint32_t start, std::vector<uint32_t>& order) {
  struct Frame {
    uint32_t node;
    uint32_t next;
  };
  std::vector<Frame> stack;
  auto enter = [&](uint32_t node) {
    node = merged_into_[node];
    if (position_[node] < visited_below_) return;
    position_[node] = 0;
    stack.push_back({node, 0});
  };
  enter(start);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == dependencies_[frame.node].size()) {
      order.push_back(frame.node);
      stack.pop_back();
      continue;
    }
    enter(dependencies_[frame.node][frame.next++]);
  }
}

void CombinerRun::walk_all() {
  order_.clear();
  visited_below_ = 1;
  position_.assign(dependencies_.size(), 1);
  for (const Sink& sink : sinks_) walk_from(sink.condensed, order_);
  for (uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i + 1;
}

void CombinerRun::combine(uint8_t kind, const CombinerGraph::Limits& limits,
                          std::vector<std::vector<CombinerGraph::Node>>& batches) {
  auto emit = [&](const Batch& batch) {
    std::vector<CombinerGraph::Node>& nodes = batches.emplace_back();
    for (int32_t id : batch) {
      done_[id] = true;
      nodes.push_back(graph_.candidates_[id].node);
    }
  };
  remaining_.clear();
  for (int32_t id = 0; id < static_cast<int32_t>(done_.size()); ++id) {
    if (candidate(id).kind != kind) continue;
    // Where nothing may be merged at all, or this one never, it is met once and left alone.
    bool alone = limits.bytes <= 0 || limits.count <= 1 || candidate(id).bytes > limits.bytes;
    if (alone) emit({id});
    if (!alone) remaining_.push_back(id);
  }
  sort_remaining();
  for (size_t first = 0; first < remaining_.size();) {
    if (done_[remaining_[first]]) {
      ++first;
      continue;
    }
    Batch batch = next_batch(first, limits);
    emit(batch);
    if (batch.size() == 1) continue;
    merge(batch);
    first = 0;
  }
}

CombinerRun::Batch CombinerRun::next_batch(size_t first,
                                           const CombinerGraph::Limits& limits) const {
  uint32_t key = candidate(remaining_[first]).key;
  Batch batch;
  int64_t bytes = 0;
  for (size_t i = first; i < remaining_.size(); ++i) {
    int32_t id = remaining_[i];
    if (done_[id] || candidate(id).key != key) continue;
    if (candidate(id).bytes > limits.bytes - bytes || depends_on_any(id, batch)) break;
    batch.push_back(id);
    bytes += candidate(id).bytes;
    if (static_cast<int64_t>(batch.size()) >= limits.count) break;
  }
  return batch;
}

bool CombinerRun::depends_on_any(int32_t id, const Batch& batch) const {
  const uint64_t* bits = reach_.row(id);
  return std::any_of(batch.begin(), batch.end(),
                     [&](int32_t on) { return bits[on / 64] >> (on % 64) & 1; });
}

// The batch stands where its first member stood and needs what any member needed; what nobody had
// visited before that place and the other members need is now visited from there.
void CombinerRun::merge(const Batch& batch) {
  widen_reachability(batch);
  uint32_t merged = condensed(batch.front());
  std::vector<uint32_t> brought;
  bool at_end = append_to_sinks(batch);
  visited_below_ = position_[merged];
  for (int32_t member : batch) {
    uint32_t node = condensed(member);
    if (node == merged) continue;
    for (uint32_t dependency : dependencies_[node]) {
      dependencies_[merged].push_back(dependency);
      if (!at_end) walk_from(dependency, brought);
    }
    merged_into_[node] = merged;
  }
  if (at_end) {
    walk_all();
    sort_remaining();
  } else if (!brought.empty()) {
    bring_forward(brought, position_[merged]);
  }
  std::erase_if(remaining_, [&](int32_t id) { return done_[id]; });
}

// Moves nodes, which a walk has just marked, to a place further up; between it and the last of
// them all others keep their order.
void CombinerRun::bring_forward(const std::vector<uint32_t>& nodes, uint32_t place) {
  std::vector<uint32_t> others;
  uint32_t end = place;
  for (size_t seen = 0; seen < nodes.size(); ++end) {
    uint32_t node = order_[end - 1];
    if (position_[node] == 0) ++seen;
    if (position_[node] != 0) others.push_back(node);
  }
  auto to = std::copy(nodes.begin(), nodes.end(), order_.begin() + place - 1);
  std::copy(others.begin(), others.end(), to);
  for (uint32_t i = place; i < end; ++i) position_[order_[i - 1]] = i;
  sort_remaining();
}

void CombinerRun::sort_remaining() {
  std::sort(remaining_.begin(), remaining_.end(), [&](int32_t a, int32_t b) {
    return position_[condensed(a)] < position_[condensed(b)];
  });
}

void CombinerRun::widen_reachability(const Batch& batch) {
  std::vector<uint64_t> members(reach_.words()), together(reach_.words());
  for (int32_t member : batch) {
    members[member / 64] |= uint64_t{1} << (member % 64);
    for (size_t word = 0; word < reach_.words(); ++word) together[word] |= reach_.row(member)[word];
  }
  std::vector<size_t> occupied;
  for (size_t word = 0; word < reach_.words(); ++word) {
    if (members[word] != 0) occupied.push_back(word);
  }
  for (int32_t id = 0; id < static_cast<int32_t>(done_.size()); ++id) {
    if (done_[id]) continue;  // nobody asks about it any more
    uint64_t* bits = reach_.row(id);
    bool meets = std::any_of(occupied.begin(), occupied.end(),
                             [&](size_t word) { return (bits[word] & members[word]) != 0; });
    if (!meets) continue;
    for (size_t word = 0; word < reach_.words(); ++word) bits[word] |= together[word];
  }
}

// Members that nobody uses: what takes their place stands at the end of the computation, and walks
// come to it last. True if there were any.
bool CombinerRun::append_to_sinks(const Batch& batch) {
  auto in_batch = [&](const Sink& sink) {
    return std::find(batch.begin(), batch.end(), sink.candidate) != batch.end();
  };
  if (std::erase_if(sinks_, in_batch) == 0) return false;
  sinks_.push_back({condensed(batch.front()), -1});
  return true;
}

}  // namespace flipsat::hlo
