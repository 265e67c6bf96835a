// The e-graph: many terms that are equal to one another, each stored once.
//
//   enum : Kind { kAdd, kZero, kLeaf };
//   EGraph graph;
//   const OperatorId add = graph.intern(kAdd), zero = graph.intern(kZero);
//   const ClassId a = graph.add(graph.intern(kLeaf, 7));          // payload 7: the client's own
//   const ClassId sum = graph.add(add, {a, graph.add(zero)});
//
//   const ClassVar x{"x"}, y{"y"};
//   RuleSet rules;
//   rules.add(Rule("add-comm", node(kAdd, {x, y})).to(exact(add, {y, x})));
//   rules.add(Rule("add-zero", node(kAdd, {x, node(kZero)})).to(x));
//   const RunReport report = run(graph, rules, {});                // runner.h
//   const Extraction best = extract_tree(graph, [](NodeId) { return Cost{1}; });  // extract.h
//   best.node(graph.find(sum));                                   // the node of `a`
//
// Structure: arrays.h. `merge` only links two names and queues what the smaller class had;
// `rebuild` restores congruence (equal operators of equal children are in one class) for what was
// queued and for nothing else, drops nodes that became equal to older ones, and brings analysis
// data to their fix-point. Between the two, `nodes` and `parents` of merged classes are incomplete
// and children may have old names: search and extract on a rebuilt graph.
//
// Epochs. A node's row is (operator, children, class). Whenever one of these changes, or the datum
// of one of these classes does, the node is stamped with the current epoch. A matcher that ran at
// epoch e has missed nothing but what involves a row stamped later: that is all that incremental
// search needs (search.h).
#pragma once

#include <cassert>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "egraph/analysis.h"
#include "egraph/arrays.h"
#include "egraph/ids.h"
#include "egraph/limits.h"
#include "egraph/node_ranges.h"

namespace flipsat::egraph {

class EGraph : private Arrays {
 public:
  explicit EGraph(std::unique_ptr<Analysis> analysis = nullptr);

  // ---- operators ----
  OperatorId intern(Kind kind, uint32_t payload = 0) { return operators_.intern(kind, payload); }
  const Operators& operators() const { return operators_; }
  // The children of nodes of this kind are a multiset: `(sum ?a ?b)` and `(sum ?b ?a)` are one
  // node, also once classes merge, and a child that stands twice stays twice. `children` has them
  // in the order in which they were first given. To be said before there is any node
  // (std::logic_error).
  void declare_unordered(Kind kind);
  bool is_unordered(Kind kind) const {
    return kind < is_unordered_.size() && is_unordered_[kind] != 0;
  }

  // ---- growing ----
  // The class of the node (op, children), made if absent. Children may be any names of classes. Ids
  // handed in, here and below, must be below `node_bound` (asserted in debug builds).
  // Throws std::length_error beyond 2^29 nodes or 2^30 children of nodes of more than two.
  ClassId add(OperatorId op, std::span<const ClassId> children = {}) {
    return find(add_node(op, children, nullptr));
  }
  ClassId add(OperatorId op, std::initializer_list<ClassId> children) {
    return add(op, std::span<const ClassId>(children.begin(), children.size()));
  }
  // The same where the client knows the class's datum, of the type of the graph's analysis
  // (asserted in debug builds); if the node is there already, the datum is joined into what its
  // class has.
  template <class Data>
  ClassId add(OperatorId op, std::span<const ClassId> children, const Data& datum) {
    assert(dynamic_cast<AnalysisOf<Data>*>(analysis_.get()) != nullptr);
    return find(add_node(op, children, &datum));
  }
  template <class Data>
  ClassId add(OperatorId op, std::initializer_list<ClassId> children, const Data& datum) {
    return add(op, std::span<const ClassId>(children.begin(), children.size()), datum);
  }
  // The node itself: a new one, or the one that is there for these children.
  NodeId add_node(OperatorId op, std::span<const ClassId> children) {
    return add_node(op, children, nullptr);
  }
  // As `merge(cls, add(op, children))`, but cheaper if the node is new; false if it was in the
  // class already.
  bool add_to(ClassId cls, OperatorId op, std::span<const ClassId> children) {
    return add_to(cls, op, children, kNoId);
  }
  // A hint that this node will be added in a while: who adds many asks for memory some nodes ahead.
  void expect(OperatorId op, std::span<const ClassId> children) const {
    if (children.size() > 2 || !is_unordered_.empty()) return;
    const ClassId first = children.empty() ? kNoId : find(children[0]);
    const ClassId second = children.size() < 2 ? kNoId : find(children[1]);
    table_.prefetch(narrow_key(op, first, second).hash);
  }
  // Room for so many nodes and children in all, so that loading does not grow step by step.
  void reserve(size_t nodes, size_t children);

  // Makes two classes one; false if they were already. Congruence waits for `rebuild`. Without a
  // reason of its own it has that of `set_origin`.
  bool merge(ClassId a, ClassId b) { return unite(a, b, origin_, kNoId); }
  bool merge(ClassId a, ClassId b, Reason reason) { return unite(a, b, reason, kNoId); }

  // States "`from` may be replaced by `to`", in this direction only: no part of congruence or of
  // matching. False if known already or if the classes are equal. Survives merges of its ends.
  bool add_edge(ClassId from, ClassId to) { return add_edge(from, to, origin_); }
  bool add_edge(ClassId from, ClassId to, Reason reason);

  // Restores congruence and analysis data. A spent budget stops `modify` (what it has yet to see
  // stays queued for the next rebuild), never the restoring of congruence.
  void rebuild(Budget* budget = nullptr);
  bool is_rebuilt() const;
  // Congruence alone, which is all that further growing gains from; `waiting` says for how many
  // merged classes it is still to be restored.
  void restore_congruence();
  uint64_t waiting() const { return absorbed_.size(); }

  // The reason of what is added and merged from here on. Runs set it to the rule being applied,
  // and to kAnalysis for `modify`.
  void set_origin(Reason reason) { origin_ = reason; }
  Reason origin() const { return origin_; }

  // ---- trying something ----
  // `pop` takes the graph back to what it was at the last `push`, directed edges, data and history
  // included; ids given out in between mean nothing afterwards. Either costs a pass over the
  // arrays. `pop` without a `push` is a std::logic_error.
  void push();
  void pop();
  // How often the graph has been taken back: what was known of it by epoch is void then.
  uint64_t pops() const { return pops_; }

  // ---- explanations ----
  // From here on keeps what `explain` (explain.h) needs. To be asked of an empty graph
  // (std::logic_error otherwise).
  void keep_history();
  const History& history() const { return history_; }
  // The unions so far, in order, congruences included; empty without history.
  std::span<const Union> unions() const { return {history_.unions.data(), history_.unions.size()}; }
  // The origin in force when the node was added: a rule's index, or kNoReason for a start node and
  // without history.
  Reason born_of(NodeId node) const {
    return history_.is_kept ? history_.origins[node] : kNoReason;
  }

  // ---- nodes ----
  // Views (of children, nodes, parents, edges) are good until the graph changes: a right-hand side
  // copies what it still wants after its first `add`.
  OperatorId op(NodeId node) const { return records_[node].op; }
  Kind kind(NodeId node) const { return operators_.kind(op(node)); }
  uint32_t payload(NodeId node) const { return operators_.payload(op(node)); }
  // Canonical class ids when the graph is rebuilt (and the node live).
  std::span<const ClassId> children(NodeId node) const {
    const NodeRecord& record = records_[node];
    if (record.is_wide()) return {wide_children_.data() + record.first, record.second};
    return {&record.first, record.arity_code()};
  }
  // False once the node is a double of an older live node of the same class.
  bool is_live(NodeId node) const { return records_[node].is_live(); }
  // Nodes ever made, stale ones included: one above the largest node id.
  uint32_t node_bound() const { return static_cast<uint32_t>(records_.size()); }
  uint64_t node_count() const { return live_nodes_; }  // live nodes

  // ---- classes ----
  // Reads only, so that a graph at rest can be searched from several places.
  ClassId find(ClassId name) const {
    uint32_t word = words_[name];
    while ((word & kRoot) == 0) {
      name = word;
      word = words_[name];
    }
    return name;
  }
  // The class of a node if it is there, without adding it. On a graph that is not rebuilt it may
  // miss nodes whose children were merged.
  std::optional<ClassId> lookup(OperatorId op, std::span<const ClassId> children = {}) const;
  std::optional<ClassId> lookup(OperatorId op, std::initializer_list<ClassId> children) const {
    return lookup(op, std::span<const ClassId>(children.begin(), children.size()));
  }
  // The live nodes of a class, and the live nodes that have it as a child, each once.
  ClassNodes nodes(ClassId cls) const { return {*this, find(cls)}; }
  ParentNodes parents(ClassId cls) const { return {*this, find(cls)}; }
  // Where the class may be replaced by another; on a rebuilt graph.
  std::span<const Edge> edges(ClassId cls) const { return edges_.of(find(cls)); }
  const Edges& all_edges() const { return edges_; }
  // Bit (kind mod 32) is set for each kind among the class's nodes: clear means none.
  uint32_t kinds(ClassId cls) const { return class_links_[find(cls)].kinds; }
  static uint32_t kind_bit(Kind kind) { return uint32_t{1} << (kind & 31); }
  uint64_t class_count() const { return live_classes_; }
  // Canonical ids in increasing order; linear in `node_bound`.
  std::vector<ClassId> classes() const;
  template <class Data>
  const Data& data(ClassId cls) const {
    assert(dynamic_cast<const AnalysisOf<Data>*>(analysis_.get()) != nullptr);
    return static_cast<const AnalysisOf<Data>*>(analysis_.get())->of(find(cls));
  }

  // ---- for matchers ----
  // The live node (op, children) or kNoId; children are canonical.
  NodeId find_node(OperatorId op, std::span<const ClassId> canonical) const;
  // The epoch of the last change of a node's row, or of the data of one of its classes.
  uint32_t stamp(NodeId node) const { return records_[node].epoch(); }
  uint32_t epoch() const { return epoch_; }
  // Ends the current epoch and returns it: what changes from here on is newer.
  uint32_t next_epoch();
  // The latest stamp among the nodes of a block, which begins at a multiple of kNodesOfBlock.
  static constexpr uint32_t kNodesOfBlock = 1u << kBlockShift;
  uint32_t block_stamp(NodeId begin) const { return block_epochs_[begin >> kBlockShift]; }
  // The arrays as they are, for classes under their canonical names; stale nodes are not left out.
  const NodeRecord& record(NodeId node) const { return records_[node]; }
  uint32_t kinds_of_name(ClassId name) const { return class_links_[name].kinds; }
  NodeId next_in_class(NodeId node) const { return class_links_[node].next; }
  static constexpr Entry kNoParent = kNoEntry;
  Entry first_parent_of_name(ClassId name) const { return first_parent(name); }
  Entry parent_after(Entry entry) const { return next_parent(entry); }
  NodeId node_at(Entry entry) const { return node_of(entry); }
  bool is_at(Entry entry, uint32_t position) const {
    if (entry < kWideEntry) return (entry & 1) == position;
    return entry - kWideEntry - records_[node_of(entry)].first == position;
  }

  // ---- upkeep ----
  // Takes stale nodes out of the lists of rebuilt classes, once they are many; a spent budget ends
  // it early, and harmlessly.
  void tidy(Budget* budget = nullptr);
  // Grows with every change: two equal values mean that nothing happened in between.
  uint64_t change_count() const { return changes_; }
  // Logical size: what the arrays hold, not what they have reserved; the same on every machine.
  uint64_t bytes() const;
  // Every invariant of the structure, in time linear in its size; throws std::logic_error with the
  // first one broken. Runs by itself after `rebuild` in debug builds.
  void check() const;

 private:
  friend class ClassNodes;
  friend class ParentNodes;
  friend class Term;
  friend class Snapshot;

  // What a node is found by. Narrow: its children; wide: a hash of them and how many.
  struct Key {
    OperatorId op;
    uint32_t first;
    uint32_t second;
    bool is_wide;
    uint32_t hash;
  };
  static Key narrow_key(OperatorId op, uint32_t first, uint32_t second) {
    uint64_t mixed = ((uint64_t{first} << 32) | second) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 32) ^ op) * 0xd6e8feb86659fd93u;
    return {op, first, second, false, static_cast<uint32_t>(mixed >> 32)};
  }
  Key key_of(OperatorId op, std::span<const ClassId> canonical) const;
  Key key_of(NodeId node) const;  // as its children stand in its record
  NodeId find_node(const Key& key, std::span<const ClassId> canonical) const {
    if (key.is_wide) return find_wide(key, canonical);
    return table_.find(key.hash, [&](NodeId node) {
      const NodeRecord& record = records_[node];
      return record.op == key.op && record.first == key.first && record.second == key.second &&
             !record.is_wide();
    });
  }
  NodeId find_wide(const Key& key, std::span<const ClassId> canonical) const;
  bool has_unordered(OperatorId op) const {
    return !is_unordered_.empty() && is_unordered(operators_.kind(op));
  }

  NodeId add_node(OperatorId op, std::span<const ClassId> children, const void* birth);
  bool add_to(ClassId cls, OperatorId op, std::span<const ClassId> children, uint32_t match);
  // Both for canonical children as in the key; `written` is for the history alone.
  NodeId add_narrow(const Key& key, size_t children, std::span<const ClassId> written) {
    const NodeId there = find_node(key, {});
    return there != kNoId ? there : add_new_narrow(key, children, written);
  }
  NodeId add_new_narrow(const Key& key, size_t children, std::span<const ClassId> written);
  bool add_narrow_to(ClassId cls, const Key& key, size_t children, std::span<const ClassId> written,
                     uint32_t match) {
    const NodeId there = find_node(key, {});
    if (there != kNoId) return unite(cls, there, origin_, match);
    return add_new_narrow_to(cls, key, children, written, match);
  }
  bool add_new_narrow_to(ClassId cls, const Key& key, size_t children,
                         std::span<const ClassId> written, uint32_t match);
  NodeId make_narrow(const Key& key, size_t children, std::span<const ClassId> written,
                     ClassId home);
  void write_history(std::span<const ClassId> written);
  void grow_blocks(NodeId node);
  void join_class(NodeId node, OperatorId op, ClassId home);
  void born(NodeId node, const void* birth);
  void born_in(ClassId home, NodeId node);
  // In the class `home`, or where that is kNoId in a new one. `written` are the children as given.
  NodeId make_node(const Key& key, std::span<const ClassId> canonical,
                   std::span<const ClassId> written, ClassId home);
  void enter(const Key& key, NodeId node);
  bool unite(NodeId a, NodeId b, Reason reason, uint32_t match) {
    const ClassId one = find_and_halve(a);
    const ClassId other = find_and_halve(b);
    return one != other && unite_names(one, other, {a, b, reason, match});
  }
  bool unite_names(ClassId kept, ClassId gone, const Union& made);
  bool has_fewer_parents(ClassId a, ClassId b) const;

  // Halves the path on the way.
  ClassId find_and_halve(ClassId name) {
    for (;;) {
      const uint32_t above = words_[name];
      if ((above & kRoot) != 0) return name;
      const uint32_t next = words_[above];
      if ((next & kRoot) != 0) return above;
      words_[name] = next;
      name = next;
    }
  }
  Entry first_parent(ClassId name) const { return words_[name] & ~kRoot; }
  Entry& link_of(Entry entry) {
    if (entry >= kWideEntry) return wide_links_[entry - kWideEntry];
    return parent_links_[entry >> 1][entry & 1];
  }
  Entry next_parent(Entry entry) const {
    if (entry >= kWideEntry) return wide_links_[entry - kWideEntry];
    return parent_links_[entry >> 1][entry & 1];
  }
  // Is this the first place where the node has the class as a child?
  bool is_first_entry(Entry entry, NodeId node, ClassId name) const;
  NodeId node_of(Entry entry) const {
    return entry >= kWideEntry ? wide_owners_[entry - kWideEntry] : entry >> 1;
  }

  void touch(NodeId node) {
    NodeRecord& record = records_[node];
    record.meta =
        (record.meta & ~(~0u << NodeRecord::kEpochShift)) | (epoch_ << NodeRecord::kEpochShift);
    block_epochs_[node >> kBlockShift] = epoch_;
  }
  void touch_class(ClassId cls);
  void data_changed(ClassId cls);
  void absorb(std::span<Absorbed> classes);
  void canonicalize(NodeId node);
  void retire(NodeId node);
  void mark_untidy(ClassId cls) { untidy_[cls >> 6] |= uint64_t{1} << (cls & 63); }
  void settle_data();
  void tidy_class(ClassId name);

  std::unique_ptr<Analysis> analysis_;
  struct Checkpoint;
  std::vector<std::shared_ptr<const Checkpoint>> checkpoints_;
  uint64_t pops_ = 0;
};

}  // namespace flipsat::egraph

#include "egraph/node_ranges_inl.h"
