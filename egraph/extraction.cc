#include <algorithm>
#include <stdexcept>

#include "egraph/extract.h"

namespace flipsat::egraph {

Extraction::Extraction(std::vector<Choice> choices)
    : choices_(std::move(choices)), resolved_(choices_.size(), kNoId) {
  std::vector<ClassId> path;
  for (ClassId start = 0; start < choices_.size(); ++start) {
    ClassId at = start;
    path.clear();
    while (resolved_[at] == kNoId && choices_[at].via != kNoId) {
      path.push_back(at);
      at = choices_[at].via;
    }
    if (resolved_[at] == kNoId && choices_[at].node != kNoId) resolved_[at] = at;
    for (const ClassId cls : path) resolved_[cls] = resolved_[at];
  }
}

std::vector<NodeId> Extraction::nodes(const EGraph& graph, std::span<const ClassId> roots) const {
  std::vector<NodeId> order;
  std::vector<bool> visited(choices_.size());
  struct Visit {
    ClassId cls;
    uint32_t next_child;
  };
  std::vector<Visit> stack;  // our own: chosen terms may be deep
  const auto enter = [&](ClassId name) {
    const ClassId cls = resolved_[graph.find(name)];
    if (cls == kNoId) throw std::logic_error("extraction: a class cannot be had");
    if (visited[cls]) return;
    visited[cls] = true;
    stack.push_back({cls, 0});
  };
  for (const ClassId root : roots) {
    enter(root);
    while (!stack.empty()) {
      Visit& visit = stack.back();
      const NodeId node = choices_[visit.cls].node;
      if (visit.next_child == graph.children(node).size()) {
        order.push_back(node);
        stack.pop_back();
      } else {
        enter(graph.children(node)[visit.next_child++]);
      }
    }
  }
  return order;
}

Cost Extraction::dag_cost(const EGraph& graph, std::span<const ClassId> roots,
                          const CostFunction& cost) const {
  Cost sum = 0;
  for (const NodeId node : nodes(graph, roots)) {
    const Cost own = cost(node);
    sum = own > kUnusable - sum ? kUnusable : sum + own;
  }
  return sum;
}

}  // namespace flipsat::egraph
