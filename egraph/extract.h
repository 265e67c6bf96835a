// Extraction: one node for each class, so that the roots become terms of low cost.
//
// Costs are additive: a node has a cost of its own, not negative, that knows nothing of what else
// is chosen. Under that law the node chosen for a class never stands above itself, so a choice is
// always a directed acyclic graph, also in an e-graph with cycles.
//
//   tree        counts a shared node once for every use. Exact for that measure, n log n.
//   greedy-dag  counts a shared node once. Not exact (that is NP-hard): starts from costs divided
//               among users, then improves choices one by one by what they really add, and never
//               returns a costlier graph than `tree` does.
//
// Tree costs of a deep shared graph grow exponentially with its depth; they are kept as a number
// with a wide exponent, so that there is no overflow and the choice stays a choice.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "egraph/egraph.h"

namespace flipsat::egraph {
namespace dag {
class CheckedSolver;  // dag/solver.h
}

using Cost = uint64_t;
inline constexpr Cost kUnusable = UINT64_MAX;  // a node of this cost is never chosen

// The cost of a node alone; asked once for each live node.
using CostFunction = std::function<Cost(NodeId)>;

struct ExtractOptions {
  bool follow_edges = true;  // a class may be taken as one that an edge leads to, at no cost
};

// How a class is had: as one of its nodes, or as the class at the end of a directed edge.
struct Choice {
  NodeId node = kNoId;
  ClassId via = kNoId;  // kNoId where `node` is set
};

// Classes are asked for by their canonical names: `graph.find(cls)`.
class Extraction {
 public:
  Extraction() = default;
  // By class id; choices must not go round in a circle.
  explicit Extraction(std::vector<Choice> choices);

  // The class whose node stands for the canonical class `cls`: itself, or where directed edges
  // lead; kNoId if the class cannot be had (every way is unusable or needs the class itself).
  ClassId resolve(ClassId cls) const { return resolved_[cls]; }
  // The chosen node at the end of the edges, or kNoId. Its children are to be resolved in turn.
  NodeId node(ClassId cls) const {
    const ClassId at = resolved_[cls];
    return at == kNoId ? kNoId : choices_[at].node;
  }
  const Choice& choice(ClassId cls) const { return choices_[cls]; }
  bool has(ClassId cls) const { return resolved_[cls] != kNoId; }

  // The nodes that the roots need, children before parents, each once. Throws std::logic_error if
  // a root cannot be had.
  std::vector<NodeId> nodes(const EGraph& graph, std::span<const ClassId> roots) const;
  // The cost of those nodes, each counted once; stays at the largest number if it does not fit.
  Cost dag_cost(const EGraph& graph, std::span<const ClassId> roots,
                const CostFunction& cost) const;

 private:
  std::vector<Choice> choices_;    // by class id
  std::vector<ClassId> resolved_;  // by class id
};

// A cost with a proof: no extraction costs less than `bound`.
struct BoundedExtraction {
  Extraction extraction;
  Cost cost = 0;   // dag_cost of the extraction
  Cost bound = 0;  // cost - bound is the gap
  uint64_t work = 0;

  bool is_optimal() const { return bound == cost; }
};

struct SearchOptions : ExtractOptions {
  // Steps, each a look at a node, a child or a table entry: some hundred million a second. The same
  // work gives the same answer on every machine.
  uint64_t most_work = 2'000'000'000;
  // Helps extract_exact where it is there.
  dag::CheckedSolver* solver = nullptr;
  double solver_limit = 30;  // about seconds, counted by the solver without a clock
};

// All want a rebuilt graph. Those that count shared nodes once choose for what the roots need:
// other classes have no choice.
Extraction extract_tree(const EGraph& graph, const CostFunction& cost,
                        const ExtractOptions& options = {});
Extraction extract_greedy_dag(const EGraph& graph, std::span<const ClassId> roots,
                              const CostFunction& cost, const ExtractOptions& options = {});
// Both throw std::logic_error if a root cannot be had.
Extraction extract_local(const EGraph& graph, std::span<const ClassId> roots,
                         const CostFunction& cost, const SearchOptions& options = {});
BoundedExtraction extract_exact(const EGraph& graph, std::span<const ClassId> roots,
                                const CostFunction& cost, const SearchOptions& options = {});

}  // namespace flipsat::egraph
