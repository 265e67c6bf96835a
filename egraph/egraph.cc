#include "egraph/egraph.h"

#include <algorithm>
#include <stdexcept>

#include <boost/container/small_vector.hpp>

namespace flipsat::egraph {
namespace {

constexpr size_t kMaxNodes = UINT32_MAX - 3;
constexpr size_t kMaxArity = (1 << 15) - 1;

}  // namespace

EGraph::EGraph(std::unique_ptr<Analysis> analysis) : analysis_(std::move(analysis)) {}

void EGraph::reserve(size_t nodes, size_t children) {
  records_.reserve(nodes);
  children_.reserve(children);
  origins_.reserve(nodes);
  sets_.reserve(nodes);
  classes_.reserve(nodes);
  table_.reserve(nodes);
  lists_.reserve(nodes + 2 * children);
}

NodeId EGraph::find_node(const NodeKey& key, std::span<const ClassId> canonical) const {
  return table_.find(key,
                     [&](NodeId node) { return std::ranges::equal(children(node), canonical); });
}

std::optional<ClassId> EGraph::lookup(OperatorId op, std::span<const ClassId> children) const {
  boost::container::small_vector<ClassId, 8> canonical(children.begin(), children.end());
  for (ClassId& child : canonical) child = sets_.find(child);
  const NodeId node = find_node(op, {canonical.data(), canonical.size()});
  if (node == kNoId) return std::nullopt;
  return sets_.find(node);
}

namespace {

// A copy of canonical names, also because `children` may be a view of the graph's own pool, which
// moves when it grows.
class CanonicalChildren {
 public:
  CanonicalChildren(UnionFind& sets, std::span<const ClassId> children)
      : names_(children.size(), boost::container::default_init) {
    for (size_t i = 0; i < children.size(); ++i) names_[i] = sets.find_and_halve(children[i]);
  }
  std::span<const ClassId> view() const { return {names_.data(), names_.size()}; }

 private:
  boost::container::small_vector<ClassId, 8> names_;
};

}  // namespace

ClassId EGraph::add_node(OperatorId op, std::span<const ClassId> children, const void* birth) {
  const CanonicalChildren canonical(sets_, children);
  const NodeKey key(op, canonical.view());
  if (const NodeId there = find_node(key, canonical.view()); there != kNoId) {
    const ClassId cls = sets_.find_and_halve(there);
    if (birth != nullptr && analysis_->on_update(*this, there, cls, birth)) data_changed(cls);
    return cls;
  }
  const NodeId node = make_node(key, canonical.view(), kNoId);
  if (analysis_ != nullptr) {
    given_data_ |= birth != nullptr;
    analysis_->on_birth(*this, node, birth);
    to_modify_.push_back(node);
  }
  return node;
}

bool EGraph::add_to(ClassId cls, OperatorId op, std::span<const ClassId> children) {
  const CanonicalChildren canonical(sets_, children);
  const NodeKey key(op, canonical.view());
  if (const NodeId there = find_node(key, canonical.view()); there != kNoId) {
    return unite(cls, there, origin_);
  }
  const ClassId home = sets_.find_and_halve(cls);
  const NodeId node = make_node(key, canonical.view(), home);
  if (keep_unions_) unions_.push_back({cls, node, origin_});
  if (analysis_ != nullptr) {
    analysis_->on_birth(*this, node, nullptr);
    if (analysis_->on_merge(home, node).into_changed) data_changed(home);
    to_modify_.push_back(home);
  }
  return true;
}

NodeId EGraph::make_node(const NodeKey& key, std::span<const ClassId> children, ClassId home) {
  if (records_.size() >= kMaxNodes || children_.size() + children.size() > UINT32_MAX) {
    throw std::length_error("e-graph: more than 2^32 nodes or children");
  }
  if (children.size() > kMaxArity) throw std::length_error("e-graph: more than 32,767 children");
  const NodeId node = sets_.make_set();
  const Kind kind = operators_.kind(key.op);
  records_.push_back({key.op, static_cast<uint32_t>(children_.size()), epoch_, kind,
                      static_cast<uint16_t>(children.size()), 0});
  for (const ClassId child : children) children_.push_back(child);
  origins_.push_back(origin_);
  classes_.emplace_back();
  if (home == kNoId) {
    home = node;
    ++live_classes_;
  } else {
    sets_.point_at(node, home);
  }
  classes_[home].kinds |= kind_bit(kind);
  lists_.push(classes_[home].nodes, node);
  for (size_t i = 0; i < children.size(); ++i) {
    const bool seen =
        std::find(children.begin(), children.begin() + i, children[i]) != children.begin() + i;
    if (!seen) lists_.push(classes_[children[i]].parents, node);
  }
  if (by_kind_.size() <= kind) by_kind_.resize(kind + 1);
  by_kind_[kind].nodes.push_back(node);
  table_.insert(key, node);
  ++live_nodes_;
  ++changes_;
  return node;
}

bool EGraph::unite(NodeId a, NodeId b, Reason reason) {
  ClassId kept = sets_.find_and_halve(a);
  ClassId gone = sets_.find_and_halve(b);
  if (kept == gone) return false;
  if (keep_unions_) unions_.push_back({a, b, reason});

  // What has more parents stays: the other's parents are those that must be looked at again.
  const auto weight = [&](ClassId cls) {
    return std::pair(classes_[cls].parents.size, classes_[cls].nodes.size);
  };
  if (weight(kept) < weight(gone) || (weight(kept) == weight(gone) && gone < kept)) {
    std::swap(kept, gone);
  }
  for (const NodeId node : lists_.view(classes_[gone].nodes)) {
    sets_.point_at(node, kept);
    touch(node);
  }
  sets_.point_at(gone, kept);
  const std::span<const NodeId> renamed = lists_.view(classes_[gone].parents);
  for (const NodeId parent : renamed) touch(parent);
  stale_parents_.insert(stale_parents_.end(), renamed.begin(), renamed.end());

  if (analysis_ != nullptr) {
    const MergeResult result = analysis_->on_merge(kept, gone);
    if (result.into_changed) touch_class(kept);
    if (result.into_changed || result.from_differs) changed_data_.push_back(kept);
    to_modify_.push_back(kept);
  }
  classes_[kept].kinds |= classes_[gone].kinds;
  lists_.append(classes_[kept].nodes, classes_[gone].nodes);
  lists_.append(classes_[kept].parents, classes_[gone].parents);
  untidy_.push_back(kept);
  merged_since_rebuild_ = true;
  --live_classes_;
  ++changes_;
  return true;
}

bool EGraph::add_edge(ClassId from, ClassId to, Reason reason) {
  if (!edges_.add({sets_.find(from), sets_.find(to), reason})) return false;
  ++changes_;
  return true;
}

void EGraph::touch_class(ClassId cls) {
  for (const NodeId node : lists_.view(classes_[cls].nodes)) touch(node);
  for (const NodeId parent : lists_.view(classes_[cls].parents)) touch(parent);
}

void EGraph::data_changed(ClassId cls) {
  touch_class(cls);
  changed_data_.push_back(cls);
  to_modify_.push_back(cls);
  ++changes_;
}

std::vector<ClassId> EGraph::classes() const {
  std::vector<ClassId> canonical;
  canonical.reserve(live_classes_);
  for (ClassId cls = 0; cls < node_bound(); ++cls) {
    if (sets_.find(cls) == cls) canonical.push_back(cls);
  }
  return canonical;
}

std::span<const NodeId> EGraph::nodes_of_kind(Kind kind) const {
  if (kind >= by_kind_.size()) return {};
  return by_kind_[kind].nodes;
}

uint64_t EGraph::bytes() const {
  const uint64_t per_node =
      sizeof(NodeRecord) + sizeof(Reason) + sizeof(ClassId) + sizeof(ClassRecord) + sizeof(NodeId);
  return records_.size() * per_node + children_.size() * sizeof(ClassId) + table_.bytes() +
         lists_.bytes() + edges_.size() * sizeof(Edge) + unions_.size() * sizeof(Union) +
         (analysis_ == nullptr ? 0 : analysis_->bytes());
}

}  // namespace flipsat::egraph
