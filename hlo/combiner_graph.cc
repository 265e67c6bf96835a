#include "hlo/combiner_graph.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace flipsat::hlo {

CombinerGraph::Node CombinerGraph::add(std::span<const Node> operands,
                                       std::span<const Node> control_predecessors) {
  std::vector<uint32_t> dependencies;
  auto depend_on = [&](Node node) {
    uint32_t condensed = stands_for_[node];
    if (condensed == kNone) return;
    if (std::find(dependencies.begin(), dependencies.end(), condensed) != dependencies.end())
      return;
    dependencies.push_back(condensed);
  };
  // XLA's walk comes to control predecessors first, the last of them first of all.
  for (size_t i = control_predecessors.size(); i-- > 0;) depend_on(control_predecessors[i]);
  for (Node operand : operands) {
    depend_on(operand);
    is_used_[operand] = true;
  }
  auto node = static_cast<Node>(stands_for_.size());
  uint32_t condensed = kNone;
  if (dependencies.size() == 1) condensed = dependencies.front();
  if (dependencies.size() > 1) {
    condensed = static_cast<uint32_t>(condensed_.size());
    condensed_.push_back({std::move(dependencies), -1});
  }
  stands_for_.push_back(condensed);
  candidate_of_.push_back(-1);
  is_used_.push_back(false);
  return node;
}

CombinerGraph::Node CombinerGraph::add_candidate(Node operand, const Candidate& candidate) {
  auto node = static_cast<Node>(stands_for_.size());
  auto condensed = static_cast<uint32_t>(condensed_.size());
  Condensed& made = condensed_.emplace_back();
  if (stands_for_[operand] != kNone) made.dependencies.push_back(stands_for_[operand]);
  made.candidate = static_cast<int32_t>(candidates_.size());
  candidate_of_.push_back(made.candidate);
  candidates_.push_back({candidate, node, condensed});
  stands_for_.push_back(condensed);
  is_used_[operand] = true;
  is_used_.push_back(false);
  return node;
}

// One simulation: the part of the graph that merges change.
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

  void find_reachability();
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
  uint64_t* row(int32_t id) { return &reach_[static_cast<size_t>(id) * words_]; }
  const uint64_t* row(int32_t id) const { return &reach_[static_cast<size_t>(id) * words_]; }

  const CombinerGraph& graph_;
  std::vector<std::vector<uint32_t>> dependencies_;
  std::vector<uint32_t> merged_into_;  // condensed node: itself or the batch that it is now
  std::vector<Sink> sinks_;
  std::vector<uint32_t> order_;     // condensed nodes in post-order, merged ones still among them
  std::vector<uint32_t> position_;  // in order_, from 1; 0 for what a walk in progress has met
  uint32_t visited_below_ = 0;      // a walk does not enter nodes at smaller positions
  std::vector<uint64_t> reach_;     // row a, bit b: candidate a depends on b, or is it
  size_t words_ = 0;
  std::vector<bool> done_;          // candidates in a batch
  std::vector<int32_t> remaining_;  // candidates of the kind at work, in post-order; done ones too
};

CombinerRun::CombinerRun(const CombinerGraph& graph)
    : graph_(graph), done_(graph.candidates_.size()) {
  dependencies_.reserve(graph.condensed_.size());
  for (const auto& node : graph.condensed_) dependencies_.push_back(node.dependencies);
  merged_into_.resize(graph.condensed_.size());
  std::iota(merged_into_.begin(), merged_into_.end(), 0);
  for (size_t node = 0; node < graph.is_used_.size(); ++node) {
    if (graph.is_used_[node] || graph.stands_for_[node] == CombinerGraph::kNone) continue;
    sinks_.push_back({graph.stands_for_[node], graph.candidate_of_[node]});
  }
  find_reachability();
  walk_all();
}

// Over condensed nodes, dependencies first, in blocks of 512 candidates to bound the memory.
void CombinerRun::find_reachability() {
  constexpr size_t kBlock = 8;
  words_ = (graph_.candidates_.size() + 63) / 64;
  reach_.assign(graph_.candidates_.size() * words_, 0);
  std::vector<std::array<uint64_t, kBlock>> block(dependencies_.size());
  for (size_t begin = 0; begin < words_; begin += kBlock) {
    size_t width = std::min(kBlock, words_ - begin);
    for (size_t node = 0; node < dependencies_.size(); ++node) {
      std::array<uint64_t, kBlock>& bits = block[node];
      bits.fill(0);
      for (uint32_t dependency : dependencies_[node]) {
        for (size_t word = 0; word < kBlock; ++word) bits[word] |= block[dependency][word];
      }
      int32_t own = graph_.condensed_[node].candidate;
      if (own < 0) continue;
      size_t own_word = static_cast<size_t>(own) / 64;
      if (own_word >= begin && own_word < begin + width) {
        bits[own_word - begin] |= uint64_t{1} << (own % 64);
      }
      std::copy_n(bits.begin(), width, row(own) + begin);
    }
  }
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
  const uint64_t* bits = row(id);
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
  std::vector<uint64_t> members(words_), together(words_);
  for (int32_t member : batch) {
    members[member / 64] |= uint64_t{1} << (member % 64);
    for (size_t word = 0; word < words_; ++word) together[word] |= row(member)[word];
  }
  std::vector<size_t> occupied;
  for (size_t word = 0; word < words_; ++word) {
    if (members[word] != 0) occupied.push_back(word);
  }
  for (int32_t id = 0; id < static_cast<int32_t>(done_.size()); ++id) {
    if (done_[id]) continue;  // nobody asks about it any more
    uint64_t* bits = row(id);
    bool meets = std::any_of(occupied.begin(), occupied.end(),
                             [&](size_t word) { return (bits[word] & members[word]) != 0; });
    if (!meets) continue;
    for (size_t word = 0; word < words_; ++word) bits[word] |= together[word];
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

std::vector<std::vector<CombinerGraph::Node>> CombinerGraph::batches(
    std::span<const Limits> limits) const {
  std::vector<std::vector<Node>> batches;
  if (candidates_.empty()) return batches;
  CombinerRun run(*this);
  for (size_t kind = 0; kind < limits.size(); ++kind) {
    run.combine(static_cast<uint8_t>(kind), limits[kind], batches);
  }
  return batches;
}

}  // namespace flipsat::hlo
