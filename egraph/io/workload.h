// Workloads: operators, rules, start nodes and roots in one file (`.wl`), one item a line.
//
//   workload demo
//   iters 10                             iterations to run at most; none: no limit
//   nodes 100000                         nodes at most; none: no limit
//   op + 2 1                             name, number of children, cost
//   leafcost 1                           of every other name, which is a leaf
//   rule comm : (+ ?a ?b) => (+ ?b ?a)   as in rule files (text.h)
//   n x
//   n y
//   n + 0 1                              a start node: children are numbers of earlier `n` lines
//   root 2
//
// An operator is declared above its first use. Lines that begin with `;` or `#` are comments.
//
// Reading the file and loading its start nodes into an e-graph are two steps, so that each can be
// timed by itself:
//
//   const WorkloadFile file = read_workload(text, "demo.wl");
//   EGraph graph;
//   const LoadedNodes loaded = load(file, graph);
//   run(graph, make_rules(file.rules, file.symbols, graph), options);
#pragma once

#include "egraph/extract.h"
#include "egraph/io/text.h"
#include "egraph/limits.h"

namespace flipsat::egraph {

struct WorkloadFile {
  std::string name;
  uint64_t iterations = Limits::kNone;
  uint64_t nodes = Limits::kNone;
  Symbols symbols;  // must outlive rules made of it
  Cost leaf_cost = 1;
  std::vector<SymbolId> operators;  // declared, in the order of their lines
  std::vector<Cost> costs;          // of `operators`
  std::vector<TextRule> rules;

  // Start nodes, children before parents.
  std::vector<SymbolId> start;              // by start node: its operator
  std::vector<uint32_t> first_child = {0};  // by start node and one more: into `children`
  std::vector<uint32_t> children;           // numbers of start nodes
  std::vector<uint32_t> roots;              // numbers of start nodes

  std::span<const uint32_t> children_of(size_t node) const {
    return {children.data() + first_child[node], first_child[node + 1] - first_child[node]};
  }
  // Gives the memory of start nodes and roots back, once they are loaded for the last time.
  void drop_start_nodes();
  // By symbol; what is not declared has the cost of a leaf, or as a head of another file's rules 1.
  std::vector<Cost> cost_of_symbols() const;
};

// Throws InputError.
WorkloadFile read_workload(std::string_view text, const std::string& file);

// A file that reads back as the same workload. Throws std::invalid_argument where a name cannot
// stand in such a file.
std::string write_workload(const WorkloadFile& workload);

struct LoadedNodes {
  std::vector<ClassId> nodes;  // by start node: its class
  std::vector<ClassId> roots;
};

// Adds the first `count` start nodes; roots beyond are left out.
LoadedNodes load(const WorkloadFile& workload, EGraph& graph, size_t count = SIZE_MAX);

}  // namespace flipsat::egraph
