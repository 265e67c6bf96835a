// Rebuild: congruence, then analysis data, then `modify`, until nothing is queued; then the lists.
#include <algorithm>

#include "egraph/egraph.h"

namespace flipsat::egraph {

bool EGraph::is_rebuilt() const {
  return stale_parents_.empty() && changed_data_.empty() && untidy_.empty() && edges_.is_sorted();
}

void EGraph::rebuild(Budget* budget) {
  const Reason origin = std::exchange(origin_, kAnalysis);
  restore_congruence();
  if (analysis_ != nullptr) {
    settle_data();
    size_t next = 0;
    while (next < to_modify_.size() && !(budget != nullptr && budget->spent(*this))) {
      analysis_->modify(*this, sets_.find(to_modify_[next++]));
      restore_congruence();
      settle_data();
    }
    to_modify_.erase(to_modify_.begin(), to_modify_.begin() + static_cast<ptrdiff_t>(next));
  }
  origin_ = origin;
  tidy_lists();
  if (!edges_.is_sorted() || merged_since_rebuild_) edges_.rebuild(sets_);
  merged_since_rebuild_ = false;
#ifndef NDEBUG
  check();
#endif
}

void EGraph::restore_congruence() {
  for (size_t next = 0; next < stale_parents_.size(); ++next) canonicalize(stale_parents_[next]);
  stale_parents_.clear();
}

// Renames the node's children. If that makes it the double of another, the older one stays and the
// two classes become one.
void EGraph::canonicalize(NodeId node) {
  const NodeRecord& record = records_[node];
  if (record.stale) return;
  const std::span<ClassId> children(children_.data() + record.first_child, record.arity);
  const auto is_old = [&](ClassId child) { return sets_.find(child) != child; };
  if (std::ranges::none_of(children, is_old)) return;

  table_.erase(NodeKey(record.op, children), node);
  for (ClassId& child : children) child = sets_.find_and_halve(child);
  const NodeKey key(record.op, children);
  const NodeId twin = find_node(key, children);
  if (twin == kNoId) {
    table_.insert(key, node);
    return;
  }
  if (node < twin) {
    table_.replace(key, twin, node);
    retire(twin);
  } else {
    retire(node);
  }
  unite(node, twin, kCongruence);
}

void EGraph::retire(NodeId node) {
  records_[node].stale = 1;
  --live_nodes_;
  untidy_.push_back(node);
  for (const ClassId child : children(node)) untidy_.push_back(child);
  ++by_kind_[kind(node)].stale;
}

void EGraph::settle_data() {
  for (size_t next = 0; next < changed_data_.size(); ++next) {
    const ClassId cls = sets_.find(changed_data_[next]);
    to_modify_.push_back(cls);
    if (!analysis_->propagates()) continue;
    for (const NodeId parent : lists_.view(classes_[cls].parents)) {
      if (!is_live(parent)) continue;
      const ClassId above = sets_.find(parent);
      if (analysis_->on_update(*this, parent, above, nullptr)) data_changed(above);
    }
  }
  changed_data_.clear();
}

// Takes stale nodes and doubles out of the lists that may have them. A parent stands twice where
// two of its children became one class.
void EGraph::tidy_lists() {
  constexpr uint8_t kSeen = 1;
  constexpr uint8_t kDone = 2;
  marks_.resize(records_.size());
  for (ClassId& name : untidy_) {
    name = sets_.find(name);
    if ((marks_[name] & kDone) != 0) continue;
    marks_[name] |= kDone;

    ClassRecord& record = classes_[name];
    const std::span<NodeId> nodes = lists_.view(record.nodes);
    const auto stale = std::ranges::remove_if(nodes, [&](NodeId node) { return !is_live(node); });
    lists_.truncate(record.nodes, static_cast<uint32_t>(nodes.size() - stale.size()));

    const std::span<NodeId> parents = lists_.view(record.parents);
    const auto useless = std::ranges::remove_if(parents, [&](NodeId node) {
      if (!is_live(node) || (marks_[node] & kSeen) != 0) return true;
      marks_[node] |= kSeen;
      return false;
    });
    lists_.truncate(record.parents, static_cast<uint32_t>(parents.size() - useless.size()));
    for (const NodeId parent : lists_.view(record.parents)) marks_[parent] &= kDone;
  }
  for (const ClassId name : untidy_) marks_[name] = 0;
  untidy_.clear();

  for (KindList& list : by_kind_) {
    if (list.stale * 4 < list.nodes.size()) continue;
    std::erase_if(list.nodes, [&](NodeId node) { return !is_live(node); });
    list.stale = 0;
  }
}

}  // namespace flipsat::egraph
