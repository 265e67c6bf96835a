// The collective combiner written down literally and slowly: real nodes, a fresh walk and a fresh
// reachability for every round. What the fast simulation is compared with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/combiner_graph.h"

namespace flipsat::hlo::testing {

struct PlainNode {
  std::vector<uint32_t> operands;
  std::vector<uint32_t> control_predecessors;
  std::optional<CombinerGraph::Candidate> candidate;
  bool removed = false;
};

class PlainCombiner {
 public:
  explicit PlainCombiner(std::vector<PlainNode> nodes) : nodes_(std::move(nodes)) {}

  // Batches of two or more.
  std::vector<std::vector<uint32_t>> run(const std::vector<CombinerGraph::Limits>& limits) {
    std::vector<std::vector<uint32_t>> batches;
    for (uint8_t kind = 0; kind < limits.size(); ++kind) {
      if (limits[kind].bytes <= 0) continue;
      std::vector<uint32_t> keyed;
      for (uint32_t i = 0; i < nodes_.size(); ++i) {
        if (!nodes_[i].removed && nodes_[i].candidate && nodes_[i].candidate->kind == kind) {
          keyed.push_back(i);
        }
      }
      while (!keyed.empty()) {
        std::vector<uint32_t> batch = round(keyed, limits[kind]);
        if (batch.size() < 2) continue;
        batches.push_back(batch);
        merge(batch);
      }
    }
    return batches;
  }

 private:
  std::vector<uint32_t> round(std::vector<uint32_t>& keyed, const CombinerGraph::Limits& limits) {
    std::vector<uint32_t> batch;
    int64_t bytes = 0;
    uint32_t key = 0;
    for (uint32_t node : post_order()) {
      auto it = std::find(keyed.begin(), keyed.end(), node);
      if (it == keyed.end()) continue;
      const CombinerGraph::Candidate& candidate = *nodes_[node].candidate;
      if (batch.empty()) key = candidate.key;
      if (candidate.key != key) continue;
      if (candidate.bytes > limits.bytes) {
        keyed.erase(it);
        continue;
      }
      if (bytes + candidate.bytes > limits.bytes) break;
      if (std::any_of(batch.begin(), batch.end(),
                      [&](uint32_t taken) { return reaches(taken, node); })) {
        break;
      }
      batch.push_back(node);
      bytes += candidate.bytes;
      keyed.erase(it);
      if (static_cast<int64_t>(batch.size()) >= limits.count) break;
    }
    return batch;
  }

  std::vector<uint32_t> post_order() const {
    enum State : uint8_t { kNew, kVisiting, kVisited };
    std::vector<State> states(nodes_.size(), kNew);
    std::vector<bool> is_used(nodes_.size());
    for (const PlainNode& node : nodes_) {
      if (node.removed) continue;
      for (uint32_t operand : node.operands) is_used[operand] = true;
    }
    std::vector<uint32_t> order;
    for (uint32_t root = 0; root < nodes_.size(); ++root) {
      if (nodes_[root].removed || is_used[root]) continue;
      std::vector<uint32_t> stack{root};
      while (!stack.empty()) {
        uint32_t current = stack.back();
        if (states[current] != kNew) {
          stack.pop_back();
          if (states[current] == kVisiting) order.push_back(current);
          states[current] = kVisited;
          continue;
        }
        states[current] = kVisiting;
        const PlainNode& node = nodes_[current];
        stack.insert(stack.end(), node.operands.rbegin(), node.operands.rend());
        stack.insert(stack.end(), node.control_predecessors.begin(),
                     node.control_predecessors.end());
      }
    }
    return order;
  }

  bool reaches(uint32_t from, uint32_t to) const {
    std::vector<bool> seen(nodes_.size());
    std::vector<uint32_t> stack{to};
    while (!stack.empty()) {
      uint32_t current = stack.back();
      stack.pop_back();
      if (current == from) return true;
      if (seen[current]) continue;
      seen[current] = true;
      const PlainNode& node = nodes_[current];
      stack.insert(stack.end(), node.operands.begin(), node.operands.end());
      stack.insert(stack.end(), node.control_predecessors.begin(), node.control_predecessors.end());
    }
    return false;
  }

  void merge(const std::vector<uint32_t>& batch) {
    PlainNode merged;
    for (uint32_t member : batch) merged.operands.push_back(nodes_[member].operands.front());
    auto merged_id = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(merged);
    for (uint32_t member : batch) {
      auto part = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({{merged_id}, {}, {}, false});
      nodes_[member].removed = true;
      for (PlainNode& user : nodes_) {
        std::replace(user.operands.begin(), user.operands.end(), member, part);
      }
    }
  }

  std::vector<PlainNode> nodes_;
};

}  // namespace flipsat::hlo::testing
