// Rebuild: congruence, then analysis data, then `modify`, until nothing is queued; then the lists.
#include <algorithm>

#include "egraph/egraph.h"

namespace flipsat::egraph {

bool EGraph::is_rebuilt() const {
  return absorbed_.empty() && changed_data_.empty() && edges_.is_sorted() && !merged_since_rebuild_;
}

void EGraph::rebuild(Budget* budget) {
  // Put back also when `modify` throws.
  struct Origin {
    ~Origin() { place = before; }
    Reason& place;
    const Reason before;
  };
  const Origin origin{origin_, std::exchange(origin_, kAnalysis)};
  restore_congruence();
  if (analysis_ != nullptr) {
    settle_data();
    size_t next = 0;
    while (next < to_modify_.size() && !(budget != nullptr && budget->spent(*this))) {
      analysis_->modify(*this, find(to_modify_[next++]));
      restore_congruence();
      settle_data();
    }
    GrowArray<ClassId> rest;
    rest.append(to_modify_.data() + next, to_modify_.size() - next);
    to_modify_ = std::move(rest);
  }
  if (!edges_.is_sorted() || merged_since_rebuild_)
    edges_.rebuild([&](ClassId c) { return find(c); });
  merged_since_rebuild_ = false;
#ifndef NDEBUG
  check();
#endif
}

void EGraph::restore_congruence() {
  // In pieces: their nodes are gathered first, so that memory can be asked for ahead.
  constexpr size_t kPiece = 4096;
  size_t next = 0;
  GrowArray<Absorbed> piece;
  while (next < absorbed_.size()) {
    const size_t end = std::min(next + kPiece, absorbed_.size());
    piece.assign(absorbed_.data() + next, end - next);
    next = end;
    absorb({piece.data(), piece.size()});
  }
  absorbed_.clear();
}

// Gives the nodes and parents of absorbed classes to the classes that they are now part of, and
// renames the children of the parents.
void EGraph::absorb(std::span<Absorbed> classes) {
  constexpr size_t kAhead = 8;
  GrowArray<NodeId> parents;
  GrowArray<Entry> last;  // of each class's list of parents
  GrowArray<ClassId> homes;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (i + kAhead < classes.size()) {
      __builtin_prefetch(&class_links_[classes[i + kAhead].name]);
      __builtin_prefetch(&records_[classes[i + kAhead].name]);
    }
    const ClassId gone = classes[i].name;
    const ClassId kept = find_and_halve(gone);
    homes.push_back(kept);
    if (classes[i].has_nodes) {
      NodeId node = gone;
      do {
        words_[node] = kept;
        touch(node);
        node = class_links_[node].next;
      } while (node != gone);
      std::swap(class_links_[gone].next, class_links_[kept].next);
      class_links_[kept].kinds |= class_links_[gone].kinds;
    }
    Entry end = kNoEntry;
    for (Entry entry = classes[i].parents; entry != kNoEntry; entry = next_parent(entry)) {
      parents.push_back(node_of(entry));
      end = entry;
    }
    last.push_back(end);
  }
  for (size_t i = 0; i < parents.size(); ++i) {
    if (i + 2 * kAhead < parents.size()) __builtin_prefetch(&records_[parents[i + 2 * kAhead]]);
    if (i + kAhead < parents.size()) {
      const NodeRecord& record = records_[parents[i + kAhead]];
      if (!record.is_wide()) {
        table_.prefetch(narrow_key(record.op, record.first, record.second).hash);
        const uint32_t first = record.first == kNoId ? kNoId : find(record.first);
        const uint32_t second = record.second == kNoId ? kNoId : find(record.second);
        table_.prefetch(narrow_key(record.op, first, second).hash);
      }
    }
    canonicalize(parents[i]);
  }
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].parents == kNoEntry) continue;
    if ((words_[homes[i]] & kRoot) == 0) {
      // Meanwhile the class has become part of another itself.
      absorbed_.push_back({classes[i].name, classes[i].parents, false});
      continue;
    }
    link_of(last[i]) = first_parent(homes[i]);
    words_[homes[i]] = kRoot | classes[i].parents;
  }
}

// Renames the node's children. If that makes it the double of another, the older one stays and the
// two classes become one.
void EGraph::canonicalize(NodeId node) {
  NodeRecord& record = records_[node];
  if (!record.is_live()) return;
  const std::span<ClassId> names =
      record.is_wide() ? std::span<ClassId>(wide_children_.data() + record.first, record.second)
                       : std::span<ClassId>(&record.first, record.arity_code());
  const auto is_old = [&](ClassId child) { return (words_[child] & kRoot) == 0; };
  if (std::ranges::none_of(names, is_old)) return;

  touch(node);
  table_.erase(key_of(node).hash, node);
  for (ClassId& child : names) child = find_and_halve(child);
  const Key key = key_of(node);
  const NodeId twin = find_node(key, names);
  if (twin == kNoId) {
    enter(key, node);
    return;
  }
  if (node < twin) {
    table_.replace(key.hash, twin, node);
    retire(twin);
  } else {
    retire(node);
  }
  unite(node, twin, kCongruence, kNoId);
}

void EGraph::retire(NodeId node) {
  records_[node].meta |= NodeRecord::kStale;
  --live_nodes_;
  ++untidy_nodes_;
  mark_untidy(find_and_halve(node));
  for (const ClassId child : children(node)) mark_untidy(child);
}

void EGraph::settle_data() {
  for (size_t next = 0; next < changed_data_.size(); ++next) {
    const ClassId cls = find(changed_data_[next]);
    to_modify_.push_back(cls);
    if (!analysis_->propagates()) continue;
    for (const NodeId parent : parents(cls)) {
      const ClassId above = find(parent);
      if (analysis_->on_update(*this, parent, above, nullptr)) data_changed(above);
    }
  }
  changed_data_.clear();
}

// Takes stale nodes out of the lists that may have them. Those who walk lists pass over stale nodes
// anyway: this only keeps them from adding up, and can stop anywhere.
void EGraph::tidy(Budget* budget) {
  if (untidy_nodes_ * 4 <= live_nodes_) return;
  constexpr size_t kOften = 64;  // words between two looks at the clock
  const auto is_over = [&](size_t word) {
    return budget != nullptr && word % kOften == 0 && budget->spent_by_the_clock(*this);
  };
  // Marks go to the names of classes first, so that no list is walked twice.
  for (size_t word = 0; word < untidy_.size(); ++word) {
    if (is_over(word)) return;
    for (uint64_t bits = untidy_[word]; bits != 0; bits &= bits - 1) {
      const auto id = static_cast<ClassId>(word * 64 + std::countr_zero(bits));
      const ClassId name = find(id);
      if (name == id) continue;
      untidy_[word] ^= bits & ~(bits - 1);
      mark_untidy(name);
    }
  }
  for (size_t word = 0; word < untidy_.size(); ++word) {
    if (is_over(word)) return;
    for (uint64_t bits = std::exchange(untidy_[word], 0); bits != 0; bits &= bits - 1) {
      tidy_class(static_cast<ClassId>(word * 64 + std::countr_zero(bits)));
    }
  }
  untidy_nodes_ = 0;
}

void EGraph::tidy_class(ClassId name) {
  for (NodeId before = name;;) {
    const NodeId node = class_links_[before].next;
    if (node == name) break;
    if (is_live(node)) {
      before = node;
    } else {
      class_links_[before].next = class_links_[node].next;
      class_links_[node].next = node;
    }
  }
  Entry before = kNoEntry;
  for (Entry entry = first_parent(name); entry != kNoEntry; entry = next_parent(entry)) {
    if (is_live(node_of(entry))) {
      before = entry;
    } else if (before == kNoEntry) {
      words_[name] = kRoot | next_parent(entry);
    } else {
      link_of(before) = next_parent(entry);
    }
  }
}

}  // namespace flipsat::egraph
