// The unions of an e-graph's history as a forest, to find the way between two nodes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "egraph/history.h"
#include "egraph/ids.h"

namespace flipsat::egraph {

// Each tree is hung up at its first node, once, when the forest is made.
class UnionForest {
 public:
  UnionForest(std::span<const Union> unions, uint32_t nodes)
      : unions_(unions), above_(nodes, kNoId), depth_(nodes, kNoId) {
    std::vector<uint32_t> begin(nodes + 1);
    for (const Union& edge : unions) {
      ++begin[edge.a + 1];
      ++begin[edge.b + 1];
    }
    for (uint32_t i = 0; i < nodes; ++i) begin[i + 1] += begin[i];
    std::vector<uint32_t> edges(2 * unions.size()), next(begin.begin(), begin.end() - 1);
    for (uint32_t i = 0; i < unions.size(); ++i) {
      edges[next[unions[i].a]++] = i;
      edges[next[unions[i].b]++] = i;
    }
    std::vector<NodeId> queue;
    for (NodeId root = 0; root < nodes; ++root) {
      if (depth_[root] != kNoId) continue;
      depth_[root] = 0;
      queue.assign(1, root);
      for (size_t i = 0; i < queue.size(); ++i) {
        const NodeId node = queue[i];
        for (uint32_t at = begin[node]; at < begin[node + 1]; ++at) {
          const NodeId other = other_end(edges[at], node);
          if (depth_[other] != kNoId) continue;
          depth_[other] = depth_[node] + 1;
          above_[other] = edges[at];
          queue.push_back(other);
        }
      }
    }
  }

  NodeId other_end(uint32_t edge, NodeId node) const {
    return unions_[edge].a == node ? unions_[edge].b : unions_[edge].a;
  }

  struct Hop {
    uint32_t edge;
    bool is_reversed;  // from b to a
  };
  // nullopt if there is no way.
  std::optional<std::vector<Hop>> way(NodeId from, NodeId to) const {
    std::vector<Hop> there, back;
    while (from != to) {
      if (depth_[from] >= depth_[to]) {
        if (above_[from] == kNoId) return std::nullopt;
        there.push_back({above_[from], unions_[above_[from]].b == from});
        from = other_end(above_[from], from);
      } else {
        back.push_back({above_[to], unions_[above_[to]].a == to});
        to = other_end(above_[to], to);
      }
    }
    there.insert(there.end(), back.rbegin(), back.rend());
    return there;
  }

 private:
  std::span<const Union> unions_;
  std::vector<uint32_t> above_;  // by node: the edge towards the root
  std::vector<uint32_t> depth_;
};

}  // namespace flipsat::egraph
