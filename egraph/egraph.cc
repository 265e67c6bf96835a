#include "egraph/egraph.h"

#include <algorithm>
#include <stdexcept>

#include <boost/container/small_vector.hpp>

namespace flipsat::egraph {
namespace {

constexpr uint32_t kMaxEpoch = (1u << (32 - NodeRecord::kEpochShift)) - 1;

uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 32)) * 0x9e3779b97f4a7c15u;
  return value ^ (value >> 29);
}

// A copy of canonical names, also because `children` may be a view of the graph's own pool, which
// moves when it grows.
using Names = boost::container::small_vector<ClassId, 8>;

Names sorted(std::span<const ClassId> names) {
  Names copy(names.begin(), names.end());
  std::ranges::sort(copy);
  return copy;
}

}  // namespace

EGraph::EGraph(std::unique_ptr<Analysis> analysis) : analysis_(std::move(analysis)) {}

void EGraph::declare_unordered(Kind kind) {
  if (node_bound() > 0) throw std::logic_error("e-graph: a kind is declared unordered too late");
  if (is_unordered_.size() <= kind) is_unordered_.resize(kind + 1);
  is_unordered_[kind] = 1;
}

void EGraph::keep_history() {
  if (history_.is_kept) return;
  if (node_bound() > 0) throw std::logic_error("e-graph: history is asked for too late");
  history_.is_kept = true;
  history_.first_child.push_back(0);
}

void EGraph::reserve(size_t nodes, size_t children) {
  records_.reserve(nodes);
  words_.reserve(nodes);
  class_links_.reserve(nodes);
  parent_links_.reserve(nodes);
  if (history_.is_kept) {
    history_.first_child.reserve(nodes + 1);
    history_.children.reserve(children);
  }
  table_.reserve(
      nodes, node_bound(), [&](NodeId node) { return is_live(node); },
      [&](NodeId node) { return key_of(node).hash; });
}

EGraph::Key EGraph::key_of(OperatorId op, std::span<const ClassId> canonical) const {
  const bool unordered = has_unordered(op);
  if (canonical.size() <= 2 && !unordered) {
    return narrow_key(op, canonical.empty() ? kNoId : canonical[0],
                      canonical.size() < 2 ? kNoId : canonical[1]);
  }
  uint64_t fold = canonical.size();
  for (const ClassId child : canonical) {
    fold = unordered ? fold + mix(uint64_t{child} + 1) : mix(fold + child);
  }
  Key key = narrow_key(op, static_cast<uint32_t>(fold >> 32), static_cast<uint32_t>(fold));
  key.is_wide = true;
  return key;
}

EGraph::Key EGraph::key_of(NodeId node) const {
  const NodeRecord& record = records_[node];
  if (!record.is_wide()) return narrow_key(record.op, record.first, record.second);
  return key_of(record.op, children(node));
}

NodeId EGraph::find_node(OperatorId op, std::span<const ClassId> canonical) const {
  return find_node(key_of(op, canonical), canonical);
}

NodeId EGraph::find_wide(const Key& key, std::span<const ClassId> canonical) const {
  const bool unordered = has_unordered(key.op);
  return table_.find(key.hash, [&](NodeId node) {
    const NodeRecord& record = records_[node];
    if (record.op != key.op || !record.is_wide() || record.second != canonical.size()) return false;
    if (std::ranges::equal(children(node), canonical)) return true;
    return unordered && sorted(children(node)) == sorted(canonical);
  });
}

std::optional<ClassId> EGraph::lookup(OperatorId op, std::span<const ClassId> children) const {
  Names canonical(children.begin(), children.end());
  for (ClassId& child : canonical) child = find(child);
  const NodeId node = find_node(op, {canonical.data(), canonical.size()});
  if (node == kNoId) return std::nullopt;
  return find(node);
}

NodeId EGraph::add_node(OperatorId op, std::span<const ClassId> children, const void* birth) {
  if (children.size() <= 2 && is_unordered_.empty() && birth == nullptr) {
    const ClassId first = children.empty() ? kNoId : find_and_halve(children[0]);
    const ClassId second = children.size() < 2 ? kNoId : find_and_halve(children[1]);
    return add_narrow(narrow_key(op, first, second), children.size(), children);
  }
  Names names(children.size(), boost::container::default_init);
  for (size_t i = 0; i < children.size(); ++i) names[i] = find_and_halve(children[i]);
  const std::span<const ClassId> canonical(names.data(), names.size());
  const Key key = key_of(op, canonical);
  if (const NodeId there = find_node(key, canonical); there != kNoId) {
    if (birth != nullptr) {
      given_data_ = true;
      const ClassId cls = find_and_halve(there);
      if (analysis_->on_update(*this, there, cls, birth)) data_changed(cls);
    }
    return there;
  }
  const NodeId node = make_node(key, canonical, children, kNoId);
  born(node, birth);
  return node;
}

void EGraph::born(NodeId node, const void* birth) {
  if (analysis_ == nullptr) return;
  given_data_ |= birth != nullptr;
  analysis_->on_birth(*this, node, birth);
  to_modify_.push_back(node);
}

void EGraph::born_in(ClassId home, NodeId node) {
  if (analysis_ == nullptr) return;
  analysis_->on_birth(*this, node, nullptr);
  if (analysis_->on_merge(home, node).into_changed) data_changed(home);
  to_modify_.push_back(home);
}

NodeId EGraph::add_new_narrow(const Key& key, size_t children, std::span<const ClassId> written) {
  const NodeId node = make_narrow(key, children, written, kNoId);
  born(node, nullptr);
  return node;
}

bool EGraph::add_new_narrow_to(ClassId cls, const Key& key, size_t children,
                               std::span<const ClassId> written, uint32_t match) {
  const ClassId home = find_and_halve(cls);
  const NodeId node = make_narrow(key, children, written, home);
  if (history_.is_kept) history_.unions.push_back({cls, node, origin_, match});
  born_in(home, node);
  return true;
}

bool EGraph::add_to(ClassId cls, OperatorId op, std::span<const ClassId> children, uint32_t match) {
  Names names(children.size(), boost::container::default_init);
  for (size_t i = 0; i < children.size(); ++i) names[i] = find_and_halve(children[i]);
  const std::span<const ClassId> canonical(names.data(), names.size());
  const Key key = key_of(op, canonical);
  if (const NodeId there = find_node(key, canonical); there != kNoId) {
    return unite(cls, there, origin_, match);
  }
  const ClassId home = find_and_halve(cls);
  const NodeId node = make_node(key, canonical, children, home);
  if (history_.is_kept) history_.unions.push_back({cls, node, origin_, match});
  born_in(home, node);
  return true;
}

// First, since `written` may be a view of the graph's own pool.
void EGraph::write_history(std::span<const ClassId> written) {
  history_.children.append(written.data(), written.size());
  history_.first_child.push_back(static_cast<uint32_t>(history_.children.size()));
  history_.origins.push_back(origin_);
}

void EGraph::grow_blocks(NodeId node) {
  if (node >= kMaxNodes) throw std::length_error("e-graph: more than 2^29 nodes");
  untidy_.push_back(0);
  if ((node & (kNodesOfBlock - 1)) == 0) block_epochs_.push_back(0);
}

NodeId EGraph::make_narrow(const Key& key, size_t children, std::span<const ClassId> written,
                           ClassId home) {
  const NodeId node = node_bound();
  if (history_.is_kept) write_history(written);
  if ((node & 63) == 0) grow_blocks(node);
  block_epochs_[node >> kBlockShift] = epoch_;
  records_.push_back({key.op, key.first, key.second,
                      (epoch_ << NodeRecord::kEpochShift) | static_cast<uint32_t>(children)});
  join_class(node, key.op, home);
  // A child that stands twice is entered twice.
  std::array<Entry, 2> links{kNoEntry, kNoEntry};
  if (children > 0) {
    uint32_t& head = words_[key.first];
    links[0] = head & ~kRoot;
    head = kRoot | (2 * node);
  }
  if (children > 1) {
    uint32_t& head = words_[key.second];
    links[1] = head & ~kRoot;
    head = kRoot | (2 * node + 1);
  }
  parent_links_.push_back(links);
  enter(key, node);
  ++live_nodes_;
  ++changes_;
  return node;
}

void EGraph::join_class(NodeId node, OperatorId op, ClassId home) {
  const uint32_t kind = kind_bit(operators_.kind(op));
  if (home == kNoId) {
    words_.push_back(kRoot | kNoEntry);
    class_links_.push_back({node, kind});
    ++live_classes_;
    return;
  }
  ClassLink& name = class_links_[home];
  const NodeId after = name.next;
  name.next = node;
  name.kinds |= kind;
  words_.push_back(home);
  class_links_.push_back({after, 0});
}

NodeId EGraph::make_node(const Key& key, std::span<const ClassId> canonical,
                         std::span<const ClassId> written, ClassId home) {
  if (!key.is_wide) return make_narrow(key, canonical.size(), written, home);
  const NodeId node = node_bound();
  if (history_.is_kept) write_history(written);
  if (wide_children_.size() + canonical.size() >= kNoEntry - kWideEntry) {
    throw std::length_error("e-graph: more than 2^30 children of wide nodes");
  }
  if ((node & 63) == 0) grow_blocks(node);
  block_epochs_[node >> kBlockShift] = epoch_;
  const auto first = static_cast<uint32_t>(wide_children_.size());
  wide_children_.append(canonical.data(), canonical.size());
  records_.push_back({key.op, first, static_cast<uint32_t>(canonical.size()),
                      (epoch_ << NodeRecord::kEpochShift) | NodeRecord::kWide});
  parent_links_.push_back({kNoEntry, kNoEntry});
  join_class(node, key.op, home);
  for (uint32_t i = 0; i < canonical.size(); ++i) {
    uint32_t& head = words_[canonical[i]];
    wide_links_.push_back(head & ~kRoot);
    wide_owners_.push_back(node);
    head = kRoot | (kWideEntry + first + i);
  }
  enter(key, node);
  ++live_nodes_;
  ++changes_;
  return node;
}

void EGraph::enter(const Key& key, NodeId node) {
  // Nodes whose children wait for their new names are found under the old ones.
  table_.insert(
      key.hash, node, node_bound(), [&](NodeId id) { return id != node && is_live(id); },
      [&](NodeId id) { return key_of(id).hash; });
}

// Which list ends first; where both do at once, the nodes decide.
bool EGraph::has_fewer_parents(ClassId a, ClassId b) const {
  Entry of_a = first_parent(a);
  Entry of_b = first_parent(b);
  while (of_a != kNoEntry && of_b != kNoEntry) {
    of_a = next_parent(of_a);
    of_b = next_parent(of_b);
  }
  if (of_a != of_b) return of_a == kNoEntry;
  NodeId in_a = class_links_[a].next;
  NodeId in_b = class_links_[b].next;
  while (in_a != a && in_b != b) {
    in_a = class_links_[in_a].next;
    in_b = class_links_[in_b].next;
  }
  if ((in_a == a) != (in_b == b)) return in_a == a;
  return a > b;
}

// What has more parents stays: the other's parents are those that must be looked at again. Its
// lists follow in `absorb`.
bool EGraph::unite_names(ClassId kept, ClassId gone, const Union& made) {
  if (history_.is_kept) history_.unions.push_back(made);
  if (has_fewer_parents(kept, gone)) std::swap(kept, gone);
  absorbed_.push_back({gone, first_parent(gone), true});
  words_[gone] = kept;
  class_links_[kept].kinds |= class_links_[gone].kinds;

  if (analysis_ != nullptr) {
    const MergeResult result = analysis_->on_merge(kept, gone);
    if (result.into_changed) touch_class(kept);
    if (result.into_changed || result.from_differs) changed_data_.push_back(kept);
    to_modify_.push_back(kept);
  }
  merged_since_rebuild_ = true;
  --live_classes_;
  ++changes_;
  return true;
}

bool EGraph::add_edge(ClassId from, ClassId to, Reason reason) {
  if (!edges_.add({find(from), find(to), reason})) return false;
  ++changes_;
  return true;
}

void EGraph::touch_class(ClassId cls) {
  for (const NodeId node : nodes(cls)) touch(node);
  for (Entry entry = first_parent(cls); entry != kNoEntry; entry = next_parent(entry)) {
    touch(node_of(entry));
  }
}

void EGraph::data_changed(ClassId cls) {
  touch_class(cls);
  changed_data_.push_back(cls);
  to_modify_.push_back(cls);
  ++changes_;
}

bool EGraph::is_first_entry(Entry entry, NodeId node, ClassId name) const {
  if (entry < kWideEntry) return (entry & 1) == 0 || records_[node].first != name;
  const std::span<const ClassId> all = children(node);
  const size_t position = entry - kWideEntry - records_[node].first;
  return std::find(all.begin(), all.begin() + position, name) == all.begin() + position;
}

std::vector<ClassId> EGraph::classes() const {
  std::vector<ClassId> canonical;
  canonical.reserve(live_classes_);
  for (ClassId cls = 0; cls < node_bound(); ++cls) {
    if ((words_[cls] & kRoot) != 0) canonical.push_back(cls);
  }
  return canonical;
}

uint32_t EGraph::next_epoch() {
  if (epoch_ == kMaxEpoch) throw std::length_error("e-graph: more than 2^29 epochs");
  return epoch_++;
}

struct EGraph::Checkpoint {
  Arrays arrays;
  std::shared_ptr<const void> data;
};

void EGraph::push() {
  checkpoints_.push_back(std::make_shared<const Checkpoint>(
      Checkpoint{*this, analysis_ == nullptr ? nullptr : analysis_->save()}));
}

void EGraph::pop() {
  if (checkpoints_.empty()) throw std::logic_error("e-graph: pop without a push");
  const uint32_t epoch = epoch_;
  const uint64_t changes = changes_;
  Arrays::operator=(checkpoints_.back()->arrays);
  epoch_ = epoch;  // never back: stamps of what comes must be newer than any search
  changes_ = changes + 1;
  if (analysis_ != nullptr) analysis_->restore(checkpoints_.back()->data.get());
  checkpoints_.pop_back();
  ++pops_;
}

uint64_t EGraph::bytes() const {
  constexpr uint64_t kPerNode = sizeof(NodeRecord) + sizeof(uint32_t) + sizeof(ClassLink) +
                                2 * sizeof(Entry) + sizeof(uint32_t);
  return records_.size() * kPerNode + wide_children_.size() * 3 * sizeof(uint32_t) +
         table_.size() * sizeof(uint32_t) + edges_.size() * sizeof(Edge) +
         history_.unions.size() * sizeof(Union) +
         (history_.children.size() + history_.first_child.size() + history_.origins.size() +
          history_.matches.size()) *
             sizeof(uint32_t) +
         (analysis_ == nullptr ? 0 : analysis_->bytes());
}

}  // namespace flipsat::egraph
