// Extraction with shared costs as flat arrays: choose one node for each class in use, so that the
// roots are in use, what a chosen node needs is in use, no class stands above itself, and the sum
// of the costs of the chosen nodes is least.
//
// All extractors of DAG costs work on this, and so do the parts that the exact one cuts it into.
// A directed edge of the e-graph is a node of cost 0 with one child.
//
// One more view is used for proofs: a set of nodes is enough if every root can be built from
// leaves with nodes of the set. A cheapest such set is a cheapest choice, and needs no word about
// cycles: what can be built is built in some order.
#pragma once

#include <ranges>
#include <span>
#include <vector>

#include "egraph/extract.h"

namespace flipsat::egraph::dag {

using Number = uint32_t;  // of a class or a node of the problem

inline constexpr Cost kMostSum = Cost{1} << 56;

// No node needs its own class.
struct Problem {
  std::vector<Number> first_node = {0};   // by class, and one more: its nodes lie together
  std::vector<Number> owner;              // by node: its class
  std::vector<Cost> cost;                 // by node; the sum of all is below kMostSum
  std::vector<Number> first_child = {0};  // by node, and one more
  std::vector<Number> children;           // classes, rising, each once a node
  std::vector<Number> roots;              // rising, each once

  Number class_count() const { return static_cast<Number>(first_node.size() - 1); }
  Number node_count() const { return static_cast<Number>(owner.size()); }
  auto nodes(Number cls) const { return std::views::iota(first_node[cls], first_node[cls + 1]); }
  Number node_count(Number cls) const { return first_node[cls + 1] - first_node[cls]; }
  std::span<const Number> needs(Number node) const {
    return {children.data() + first_child[node], children.data() + first_child[node + 1]};
  }
  size_t size() const { return owner.size() + children.size(); }

  // Appends a node to the last class; `needed` is sorted here.
  void add_node(Cost node_cost, std::span<const Number> needed);
  void close_class() { first_node.push_back(node_count()); }
};

// By class: the nodes that need it.
struct Users {
  explicit Users(const Problem& problem);
  std::span<const Number> of(Number cls) const {
    return {nodes.data() + first[cls], nodes.data() + first[cls + 1]};
  }
  std::vector<Number> first;
  std::vector<Number> nodes;
};

// By class: the chosen node, or kNoId.
using Selection = std::vector<Number>;

// The cost of what the roots need; nullopt if a class in use has no choice or stands above itself.
std::optional<Cost> cost_of(const Problem& problem, const Selection& selection);

// By class: whether the roots need it, by this selection, which has what they need.
std::vector<bool> classes_in_use(const Problem& problem, const Selection& selection);

// Makes a choice of any set of nodes (by node: is it in the set?) from which the roots can be
// built; classes that cannot be built have kNoId.
Selection build_from(const Problem& problem, const std::vector<bool>& is_in_set);

}  // namespace flipsat::egraph::dag
