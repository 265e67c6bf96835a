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
  std::vector<uint32_t> listed(node_bound());   // how often a live node stands in a circle
  std::vector<uint32_t> entered(node_bound());  // ... and in lists of parents
  uint64_t classes_seen = 0;
  for (ClassId cls = 0; cls < node_bound(); ++cls) {
    if (find(cls) != cls) continue;
    ++classes_seen;
    uint32_t kinds = 0;
    uint64_t live = 0;
    NodeId node = cls;
    do {
      require(find(node) == cls, "a node stands in a class that is not its own", node);
      require(++listed[node] == 1, "a class lists a node twice", node);
      if (is_live(node)) {
        kinds |= kind_bit(kind(node));
        ++live;
      }
      node = class_links_[node].next;
    } while (node != cls);
    require(live > 0, "a class has no live node", cls);
    require(kinds == class_links_[cls].kinds, "the mask of kinds is wrong", cls);
    for (Entry entry = first_parent(cls); entry != kNoEntry; entry = next_parent(entry)) {
      const NodeId parent = node_of(entry);
      if (!is_live(parent)) continue;
      ++entered[parent];
      const uint32_t position =
          entry < kWideEntry ? entry & 1 : entry - kWideEntry - records_[parent].first;
      require(position < children(parent).size() && children(parent)[position] == cls,
              "a class lists a parent that does not have it there", parent);
    }
  }
  require(classes_seen == live_classes_, "the count of classes is wrong", 0);
  require(table_.size() == live_nodes_, "the hash-cons holds more or less than the live nodes", 0);

  uint64_t nodes_seen = 0;
  for (NodeId node = 0; node < node_bound(); ++node) {
    require(stamp(node) <= epoch_, "a stamp is newer than the epoch", node);
    require(stamp(node) <= block_stamp(node), "a stamp is newer than its block's", node);
    std::vector<ClassId> canonical(children(node).begin(), children(node).end());
    for (ClassId& child : canonical) child = find(child);
    const NodeId held = find_node(op(node), canonical);
    if (!is_live(node)) {
      require(held != kNoId && held < node && find(held) == find(node),
              "a stale node has no older double in its class", node);
      continue;
    }
    ++nodes_seen;
    require(listed[node] == 1, "a live node is in no class", node);
    require(std::equal(canonical.begin(), canonical.end(), children(node).begin()),
            "a live node has an old child", node);
    require(held == node, "two congruent nodes are live, or one is not in the hash-cons", node);
    require(entered[node] == canonical.size(), "a live node is not a parent of each child", node);
  }
  require(nodes_seen == live_nodes_, "the count of live nodes is wrong", 0);

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
