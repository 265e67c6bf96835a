// Tree extraction, as Knuth generalised Dijkstra's algorithm: the cheapest class of all that are
// not settled is settled next, since no node costs less than its children. Each node is looked at
// when its last child is settled, so the work is linear but for the heap.
#include <algorithm>
#include <queue>

#include "egraph/extract.h"
#include "egraph/wide_cost.h"

namespace flipsat::egraph {
namespace {

struct TreeExtraction {
  std::vector<Cost> own;        // by node: the client's cost, asked once; stale ones kUnusable
  std::vector<Choice> choices;  // by class
  std::vector<bool> is_settled;
};

struct Candidate {
  WideCost cost;
  ClassId cls;
  Choice choice;

  // For a heap that has the best on top. Equal costs: a node before an edge, the older node first.
  bool operator<(const Candidate& other) const {
    if (!(cost == other.cost)) return other.cost < cost;
    if (choice.node != other.choice.node) return other.choice.node < choice.node;
    if (choice.via != other.choice.via) return other.choice.via < choice.via;
    return other.cls < cls;
  }
};

class Settling {
 public:
  Settling(const EGraph& graph, const CostFunction& cost, const ExtractOptions& options)
      : graph_(graph), waits_for_(graph.node_bound()), costs_(graph.node_bound()) {
    result_.own.assign(graph.node_bound(), kUnusable);
    result_.choices.resize(graph.node_bound());
    result_.is_settled.resize(graph.node_bound());
    if (options.follow_edges) {
      edges_.assign(graph.all_edges().all().begin(), graph.all_edges().all().end());
      std::ranges::stable_sort(edges_, {}, &Edge::to);
    }
    for (NodeId node = 0; node < graph.node_bound(); ++node) {
      if (!graph.is_live(node)) continue;
      result_.own[node] = cost(node);
      if (graph.children(node).empty()) offer(node);
    }
    for (NodeId cls = 0; cls < graph.node_bound(); ++cls) {
      if (graph.find(cls) != cls) continue;
      for (const NodeId parent : graph.parents(cls)) ++waits_for_[parent];
    }
  }

  TreeExtraction run() && {
    while (!heap_.empty()) {
      const Candidate best = heap_.top();
      heap_.pop();
      if (result_.is_settled[best.cls]) continue;
      result_.is_settled[best.cls] = true;
      result_.choices[best.cls] = best.choice;
      costs_[best.cls] = best.cost;
      for (const NodeId parent : graph_.parents(best.cls)) {
        if (--waits_for_[parent] == 0) offer(parent);
      }
      for (const Edge& edge : std::ranges::equal_range(edges_, best.cls, {}, &Edge::to)) {
        if (!result_.is_settled[edge.from]) {
          heap_.push({best.cost, edge.from, {kNoId, best.cls}});
        }
      }
    }
    return std::move(result_);
  }

 private:
  void offer(NodeId node) {
    const ClassId cls = graph_.find(node);
    if (result_.own[node] == kUnusable || result_.is_settled[cls]) return;
    WideCost cost(result_.own[node]);
    for (const ClassId child : graph_.children(node)) cost += costs_[child];
    heap_.push({cost, cls, {node, kNoId}});
  }

  const EGraph& graph_;
  TreeExtraction result_;
  std::vector<Edge> edges_;          // by target
  std::vector<uint32_t> waits_for_;  // by node: distinct children that are not settled
  std::vector<WideCost> costs_;      // by class
  std::priority_queue<Candidate> heap_;
};

}  // namespace

Extraction extract_tree(const EGraph& graph, const CostFunction& cost,
                        const ExtractOptions& options) {
  return Extraction(Settling(graph, cost, options).run().choices);
}

}  // namespace flipsat::egraph
