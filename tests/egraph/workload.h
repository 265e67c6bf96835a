// Workloads (egraph/io/workload.h) loaded into e-graphs, for tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egraph/egraph.h"
#include "egraph/extract.h"
#include "egraph/io/workload.h"
#include "egraph/rule.h"

namespace flipsat::egraph {

struct Workload {
  explicit Workload(WorkloadFile file);

  Cost cost(NodeId node) const {
    return costs[file.symbols.symbol(graph.kind(node), graph.payload(node))];
  }

  WorkloadFile file;
  uint64_t iterations = 0;
  EGraph graph;
  RuleSet rules;
  std::vector<ClassId> roots;
  std::vector<Cost> costs;  // by symbol
};

// By file name, from the folder $FLIPSAT_WORKLOADS or from where it stands beside $FLIPSAT_CORPUS.
// Prints a word and returns nothing where it is absent.
std::optional<Workload> find_workload(const std::string& file);

// `count` leaves under one chain of sums, with commutativity and associativity: saturates with
// 2^n - 1 classes and 3^n - 2^(n+1) + 1 + n nodes.
Workload sum_of_leaves(int count);

}  // namespace flipsat::egraph
