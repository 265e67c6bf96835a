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
// Structure. What is asked of a node in search lies in one 16-byte record (operator, kind, arity,
// place of its children in one shared pool, the epoch of its last change), the rest in arrays of
// its own; a hash table finds nodes by content. A class is a list of its nodes and a list of the
// nodes that have it as a child (its parents). `merge` only links two classes and queues the
// parents of the smaller; `rebuild` restores congruence (equal operators of equal children are in
// one class) for what was queued and for nothing else, drops nodes that became equal to older ones,
// and brings analysis data to their fix-point. Between the two, reads of nodes and parents may see
// doubles and old children: search and extract on a rebuilt graph.
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
#include "egraph/edges.h"
#include "egraph/hash_cons.h"
#include "egraph/ids.h"
#include "egraph/limits.h"
#include "egraph/list_pool.h"
#include "egraph/operators.h"
#include "egraph/union_find.h"

namespace flipsat::egraph {

// A union as it was asked for; kept where EGraph::keep_unions is on.
struct Union {
  NodeId a = kNoId;
  NodeId b = kNoId;
  Reason reason = kNoReason;
};

class EGraph {
 public:
  explicit EGraph(std::unique_ptr<Analysis> analysis = nullptr);

  // ---- operators ----
  OperatorId intern(Kind kind, uint32_t payload = 0) { return operators_.intern(kind, payload); }
  const Operators& operators() const { return operators_; }

  // ---- growing ----
  // The class of the node (op, children), made if absent. Children may be any names of classes.
  // Throws std::length_error beyond 2^32 - 4 nodes or 32,767 children.
  ClassId add(OperatorId op, std::span<const ClassId> children = {}) {
    return add_node(op, children, nullptr);
  }
  ClassId add(OperatorId op, std::initializer_list<ClassId> children) {
    return add_node(op, {children.begin(), children.size()}, nullptr);
  }
  // The same where the client knows the class's datum; if the node is there already, the datum is
  // joined into what its class has.
  template <class Data>
  ClassId add(OperatorId op, std::span<const ClassId> children, const Data& datum) {
    assert(dynamic_cast<AnalysisOf<Data>*>(analysis_.get()) != nullptr);
    return add_node(op, children, &datum);
  }
  template <class Data>
  ClassId add(OperatorId op, std::initializer_list<ClassId> children, const Data& datum) {
    return add(op, std::span<const ClassId>(children.begin(), children.size()), datum);
  }
  // As `merge(cls, add(op, children))`, but cheaper if the node is new; false if it was in the
  // class already.
  bool add_to(ClassId cls, OperatorId op, std::span<const ClassId> children);
  void reserve(size_t nodes, size_t children);

  // Makes two classes one; false if they were already. Congruence waits for `rebuild`. Without a
  // reason of its own it has that of `set_origin`.
  bool merge(ClassId a, ClassId b) { return unite(a, b, origin_); }
  bool merge(ClassId a, ClassId b, Reason reason) { return unite(a, b, reason); }

  // States "`from` may be replaced by `to`", in this direction only: no part of congruence or of
  // matching. False if known already or if the classes are equal. Survives merges of its ends.
  bool add_edge(ClassId from, ClassId to) { return add_edge(from, to, origin_); }
  bool add_edge(ClassId from, ClassId to, Reason reason);

  // Restores congruence, live-node lists and analysis data. A spent budget stops `modify` (what it
  // has yet to see stays queued for the next rebuild), never the restoring of congruence.
  void rebuild(Budget* budget = nullptr);
  bool is_rebuilt() const;

  // The reason of what is added and merged from here on. Runs set it to the rule being applied,
  // and to kAnalysis for `modify`.
  void set_origin(Reason reason) { origin_ = reason; }
  Reason origin() const { return origin_; }

  // ---- nodes ----
  // Views (of children, nodes, parents, edges) are good until the graph changes: a right-hand side
  // copies what it still wants after its first `add`.
  OperatorId op(NodeId node) const { return records_[node].op; }
  Kind kind(NodeId node) const { return records_[node].kind; }
  uint32_t payload(NodeId node) const { return operators_.payload(op(node)); }
  // Canonical class ids when the graph is rebuilt (and the node live).
  std::span<const ClassId> children(NodeId node) const {
    const NodeRecord& record = records_[node];
    return {children_.data() + record.first_child, record.arity};
  }
  // False once the node is a double of an older live node of the same class.
  bool is_live(NodeId node) const { return !records_[node].stale; }
  // The origin in force when the node was added: a rule's index, or kNoReason for a start node.
  Reason born_of(NodeId node) const { return origins_[node]; }
  // Nodes ever made, stale ones included: one above the largest node id.
  uint32_t node_bound() const { return static_cast<uint32_t>(records_.size()); }
  uint64_t node_count() const { return live_nodes_; }  // live nodes

  // ---- classes ----
  ClassId find(ClassId name) const { return sets_.find(name); }
  // The class of a node if it is there, without adding it.
  std::optional<ClassId> lookup(OperatorId op, std::span<const ClassId> children = {}) const;
  std::optional<ClassId> lookup(OperatorId op, std::initializer_list<ClassId> children) const {
    return lookup(op, std::span<const ClassId>(children.begin(), children.size()));
  }
  std::span<const NodeId> nodes(ClassId cls) const {
    return lists_.view(classes_[find(cls)].nodes);
  }
  // Nodes that have the class as a child, each once.
  std::span<const NodeId> parents(ClassId cls) const {
    return lists_.view(classes_[find(cls)].parents);
  }
  // Where the class may be replaced by another; on a rebuilt graph.
  std::span<const Edge> edges(ClassId cls) const { return edges_.of(find(cls)); }
  const Edges& all_edges() const { return edges_; }
  // Bit (kind mod 64) is set for each kind among the class's nodes: clear means none.
  uint64_t kinds(ClassId cls) const { return classes_[find(cls)].kinds; }
  static uint64_t kind_bit(Kind kind) { return uint64_t{1} << (kind & 63); }
  uint64_t class_count() const { return live_classes_; }
  // Canonical ids in increasing order.
  std::vector<ClassId> classes() const;
  template <class Data>
  const Data& data(ClassId cls) const {
    assert(dynamic_cast<const AnalysisOf<Data>*>(analysis_.get()) != nullptr);
    return static_cast<const AnalysisOf<Data>*>(analysis_.get())->of(find(cls));
  }

  // ---- for matchers ----
  // The live node (op, children) or kNoId; children are canonical.
  NodeId find_node(OperatorId op, std::span<const ClassId> canonical) const {
    return find_node(NodeKey(op, canonical), canonical);
  }
  // Nodes of a kind in the order of their ids; some may be stale until the next rebuild.
  std::span<const NodeId> nodes_of_kind(Kind kind) const;
  uint32_t stamp(NodeId node) const { return records_[node].stamp; }
  uint32_t epoch() const { return epoch_; }
  // Ends the current epoch and returns it: what changes from here on is newer.
  uint32_t next_epoch() { return epoch_++; }

  // ---- upkeep ----
  // Grows with every change: two equal values mean that nothing happened in between.
  uint64_t change_count() const { return changes_; }
  // Logical size: what the arrays hold, not what they have reserved; the same on every machine.
  uint64_t bytes() const;
  // With on, every union is recorded in order, congruences included.
  void keep_unions(bool on) { keep_unions_ = on; }
  const std::vector<Union>& unions() const { return unions_; }
  // Every invariant of the structure, in time linear in its size; throws std::logic_error with the
  // first one broken. Runs by itself after `rebuild` in debug builds.
  void check() const;

 private:
  struct NodeRecord {
    OperatorId op;
    uint32_t first_child;
    uint32_t stamp;
    Kind kind;
    uint16_t arity : 15;
    uint16_t stale : 1;
  };
  struct ClassRecord {
    ListPool::List nodes;
    ListPool::List parents;
    uint64_t kinds = 0;
  };
  struct KindList {
    std::vector<NodeId> nodes;
    size_t stale = 0;  // how many of them
  };

  ClassId add_node(OperatorId op, std::span<const ClassId> children, const void* birth);
  // In the class `home`, or where that is kNoId in a new one.
  NodeId make_node(const NodeKey& key, std::span<const ClassId> children, ClassId home);
  NodeId find_node(const NodeKey& key, std::span<const ClassId> canonical) const;
  bool unite(NodeId a, NodeId b, Reason reason);
  void touch(NodeId node) { records_[node].stamp = epoch_; }
  void touch_class(ClassId cls);
  void data_changed(ClassId cls);
  void canonicalize(NodeId node);
  void retire(NodeId node);
  void restore_congruence();
  void settle_data();
  void tidy_lists();

  Operators operators_;
  std::vector<NodeRecord> records_;
  std::vector<ClassId> children_;
  std::vector<Reason> origins_;
  UnionFind sets_;
  HashCons table_;
  ListPool lists_;
  std::vector<ClassRecord> classes_;  // by class id as born
  std::vector<KindList> by_kind_;
  std::unique_ptr<Analysis> analysis_;
  Edges edges_;

  std::vector<NodeId> stale_parents_;  // rows whose children have other names now
  std::vector<ClassId> changed_data_;  // classes whose parents want their data made again
  std::vector<ClassId> to_modify_;
  std::vector<ClassId> untidy_;  // classes whose lists may hold stale nodes or doubles
  std::vector<uint8_t> marks_;   // by node, all clear between uses

  std::vector<Union> unions_;
  uint64_t live_nodes_ = 0;
  uint64_t live_classes_ = 0;
  uint64_t changes_ = 0;
  uint32_t epoch_ = 1;
  Reason origin_ = kNoReason;
  bool keep_unions_ = false;
  bool given_data_ = false;  // some datum came from the client
  bool merged_since_rebuild_ = false;
};

}  // namespace flipsat::egraph
