// The full invariant check of an e-graph.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "egraph/egraph.h"

namespace flipsat::egraph {
namespace {

void require(bool holds, const char* invariant, uint32_t id) {
  if (holds) return;
  throw std::logic_error("e-graph: " + std::string(invariant) + " (id " + std::to_string(id) + ")");
}

}  // namespace

void EGraph::check() const {
  require(is_rebuilt(), "work is queued", 0);
  const auto nodes_in = [&](ClassId cls) { return lists_.view(classes_[cls].nodes); };
  const auto parents_in = [&](ClassId cls) { return lists_.view(classes_[cls].parents); };
  std::vector<uint32_t> listed(node_bound());  // how often a node stands in its class's list
  std::vector<uint32_t> as_parent(node_bound());
  uint64_t nodes_seen = 0;
  uint64_t classes_seen = 0;
  for (ClassId cls = 0; cls < node_bound(); ++cls) {
    if (find(cls) != cls) {
      require(nodes_in(cls).empty() && parents_in(cls).empty(), "a merged class keeps lists", cls);
      continue;
    }
    ++classes_seen;
    uint64_t kinds = 0;
    for (const NodeId node : nodes_in(cls)) {
      require(is_live(node), "a class lists a stale node", node);
      require(find(node) == cls, "a node stands in a class that is not its own", node);
      require(++listed[node] == 1, "a class lists a node twice", node);
      kinds |= kind_bit(kind(node));
      ++nodes_seen;
    }
    require(!nodes_in(cls).empty(), "a class has no node", cls);
    require(kinds == classes_[cls].kinds, "the mask of kinds is wrong", cls);
    for (const NodeId parent : parents_in(cls)) {
      require(is_live(parent), "a class has a stale parent", parent);
      bool is_child = false;
      for (const ClassId child : children(parent)) is_child |= child == cls;
      require(is_child, "a class lists a parent that does not have it", parent);
      ++as_parent[parent];
    }
  }
  require(nodes_seen == live_nodes_, "the count of live nodes is wrong", 0);
  require(classes_seen == live_classes_, "the count of classes is wrong", 0);
  require(table_.size() == live_nodes_, "the hash-cons holds more or less than the live nodes", 0);

  std::vector<uint32_t> of_kind(node_bound());
  for (const KindList& list : by_kind_) {
    for (const NodeId node : list.nodes) ++of_kind[node];
  }
  for (NodeId node = 0; node < node_bound(); ++node) {
    require(stamp(node) <= epoch_, "a stamp is newer than the epoch", node);
    std::vector<ClassId> canonical(children(node).begin(), children(node).end());
    for (ClassId& child : canonical) child = find(child);
    const NodeId held = find_node(op(node), canonical);
    if (!is_live(node)) {
      require(held != kNoId && held < node && find(held) == find(node),
              "a stale node has no older double in its class", node);
      continue;
    }
    require(listed[node] == 1, "a live node is in no class", node);
    require(of_kind[node] == 1, "a live node is not once in the list of its kind", node);
    require(std::equal(canonical.begin(), canonical.end(), children(node).begin()),
            "a live node has an old child", node);
    require(held == node, "two congruent nodes are live, or one is not in the hash-cons", node);
    std::sort(canonical.begin(), canonical.end());
    const auto distinct = std::unique(canonical.begin(), canonical.end()) - canonical.begin();
    require(as_parent[node] == static_cast<uint32_t>(distinct),
            "a live node is not once a parent of each child", node);
  }

  const Edge* last = nullptr;
  for (const Edge& edge : edges_.all()) {
    require(find(edge.from) == edge.from && find(edge.to) == edge.to, "an edge has an old end",
            edge.from);
    require(edge.from != edge.to, "an edge is a loop", edge.from);
    require(last == nullptr || std::pair(last->from, last->to) < std::pair(edge.from, edge.to),
            "edges are not sorted or not distinct", edge.from);
    last = &edge;
  }

  // A client that hands data over may have a `make` that cannot do without.
  if (analysis_ == nullptr || given_data_ || !analysis_->propagates()) return;
  for (NodeId node = 0; node < node_bound(); ++node) {
    if (!is_live(node)) continue;
    require(!analysis_->on_update(*this, node, find(node), nullptr),
            "data are not at their fix-point", node);
  }
}

}  // namespace flipsat::egraph
