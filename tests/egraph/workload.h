// Workloads in the `.wl` text format: operators, rules, start nodes, roots; one item a line.
//
//   op + 2 1                                     name, arity, cost; any other name is a leaf
//   leafcost 1
//   rule comm : (+ ?a ?b) => (+ ?b ?a)
//   n v0
//   n v1
//   n + 0 1                                      children are numbers of earlier `n` lines
//   root 2
#pragma once

#include <deque>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "egraph/egraph.h"
#include "egraph/extract.h"
#include "egraph/rule.h"

namespace flipsat::egraph {

struct Workload {
  std::string name;
  uint64_t iterations = 100;
  EGraph graph;
  RuleSet rules;
  std::vector<ClassId> roots;
  std::vector<Cost> costs;  // by kind

  Cost cost(NodeId node) const { return costs[graph.kind(node)]; }

  std::deque<std::string> names;  // what variables of rules are called
  std::map<std::string, OperatorId> operators;
};

Workload read_workload(std::istream& in);

// By file name, from the folder $FLIPSAT_WORKLOADS or from where it stands beside $FLIPSAT_CORPUS.
// Prints a word and returns nothing where it is absent.
std::optional<Workload> find_workload(const std::string& file);

// `count` leaves under one chain of sums, with commutativity and associativity: saturates with
// 2^n - 1 classes and 3^n - 2^(n+1) + 1 + n nodes.
Workload sum_of_leaves(int count);

}  // namespace flipsat::egraph
