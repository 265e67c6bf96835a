// A naive e-graph, written to be obviously right and nothing else: what the engine does is judged
// by it. It shares no code with the engine but the plain data of patterns.
//
// A class is a set of nodes and a node is known by what it holds, so that doubles vanish by
// themselves. Everything is done by full passes until nothing changes. A copy is a checkpoint.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "egraph/pattern.h"
#include "tests/egraph/reference/facts.h"

namespace flipsat::egraph::reference {

// A class, by any name that it ever had. Not the engine's numbers.
using Id = uint32_t;

struct Node {
  OperatorId op = kNoId;  // place in the signature
  std::vector<Id> children;
  auto operator<=>(const Node&) const = default;
};

// One way in which patterns hold.
struct Binding {
  Id root = kNoId;
  std::vector<std::pair<std::string_view, Id>> classes;
  std::vector<std::pair<std::string_view, Node>> nodes;

  Id cls(std::string_view name) const;  // the root where the name is empty
  const Node& node(std::string_view name) const;
};

class Graph {
 public:
  explicit Graph(FactsMode mode) : mode_(mode) {}

  // The children of a node of this kind are a multiset.
  void declare_unordered(Kind kind) { unordered_.insert(kind); }
  bool is_unordered(Kind kind) const { return unordered_.count(kind) != 0; }

  // `given`: the facts that the client knows of the node.
  Id add(OperatorId op, std::vector<Id> children, const std::optional<Facts>& given = {});
  bool merge(Id a, Id b);
  void add_edge(Id from, Id to) { edges_.insert({from, to}); }
  void rebuild();
  // Grows with every node that is new and every merge of two classes.
  uint64_t changes() const { return changes_; }

  Id find(Id name) const { return class_of_[name]; }
  Node canonical(Node node) const;
  std::vector<Id> classes() const;
  const std::set<Node>& nodes(Id cls) const { return classes_[find(cls)].nodes; }
  const Facts& facts(Id cls) const { return classes_[find(cls)].facts; }
  std::set<Node> parents(Id cls) const;
  std::set<Id> edges(Id from) const;
  std::optional<Id> lookup(OperatorId op, std::vector<Id> children) const;
  size_t node_count() const;

  // All bindings under which all patterns hold, the first of them at the root. Rebuilt graphs only.
  std::vector<Binding> match(const std::vector<Pattern>& patterns) const;

 private:
  struct Class {
    std::set<Node> nodes;  // empty once it has been merged into another
    Facts facts;
  };

  std::vector<Binding> match_at(const Pattern& pattern, Id cls, const Binding& so_far) const;
  bool fits(const Pattern& pattern, const Node& node) const;
  Facts make(const Node& node) const;
  bool restore_congruence();
  bool settle_facts();
  void grant_wishes();

  FactsMode mode_;
  std::set<Kind> unordered_;
  std::vector<Class> classes_;  // by the name that it was born with
  std::vector<Id> class_of_;    // by name: the name that its class has now
  std::set<std::pair<Id, Id>> edges_;
  uint64_t changes_ = 0;
};

}  // namespace flipsat::egraph::reference
