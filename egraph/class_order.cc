#include "egraph/class_order.h"

#include <algorithm>

namespace flipsat::egraph {
namespace {

// Targets of class c: targets[first[c]] up to targets[first[c + 1]].
struct Arcs {
  std::vector<uint32_t> first;
  std::vector<ClassId> targets;
};

Arcs arcs_of(const EGraph& graph, const std::vector<uint32_t>& rank, bool follow_edges) {
  Arcs arcs;
  arcs.first.reserve(graph.node_bound() + 1);
  for (ClassId cls = 0; cls < graph.node_bound(); ++cls) {
    arcs.first.push_back(static_cast<uint32_t>(arcs.targets.size()));
    if (rank[cls] == kNoId) continue;
    for (const NodeId node : graph.nodes(cls)) {
      for (const ClassId child : graph.children(node)) {
        if (rank[child] != kNoId) arcs.targets.push_back(child);
      }
    }
    if (!follow_edges) continue;
    for (const Edge& edge : graph.edges(cls)) {
      if (rank[edge.to] != kNoId) arcs.targets.push_back(edge.to);
    }
  }
  arcs.first.push_back(static_cast<uint32_t>(arcs.targets.size()));
  return arcs;
}

// Tarjan's algorithm with a stack of its own: e-graphs are deep.
class Components {
 public:
  Components(const Arcs& arcs, const std::vector<uint32_t>& rank)
      : arcs_(arcs), rank_(rank), number_(rank.size()), low_(rank.size()), open_(rank.size()) {}

  std::vector<ClassId> order() {
    for (ClassId cls = 0; cls < rank_.size(); ++cls) {
      if (rank_[cls] != kNoId && number_[cls] == 0) walk(cls);
    }
    return std::move(order_);
  }

 private:
  struct Visit {
    ClassId cls;
    uint32_t next_arc;
  };

  void enter(ClassId cls) {
    number_[cls] = low_[cls] = ++numbers_;
    open_[cls] = true;
    members_.push_back(cls);
    stack_.push_back({cls, arcs_.first[cls]});
  }

  void walk(ClassId start) {
    enter(start);
    while (!stack_.empty()) {
      Visit& visit = stack_.back();
      if (visit.next_arc < arcs_.first[visit.cls + 1]) {
        const ClassId cls = visit.cls;
        const ClassId target = arcs_.targets[visit.next_arc++];
        if (number_[target] == 0) {
          enter(target);
        } else if (open_[target]) {
          low_[cls] = std::min(low_[cls], number_[target]);
        }
        continue;
      }
      const ClassId cls = visit.cls;
      stack_.pop_back();
      if (!stack_.empty()) {
        low_[stack_.back().cls] = std::min(low_[stack_.back().cls], low_[cls]);
      }
      if (low_[cls] == number_[cls]) close(cls);
    }
  }

  // The members from `cls` on are one component.
  void close(ClassId cls) {
    const auto begin = std::find(members_.rbegin(), members_.rend(), cls).base() - 1;
    std::sort(begin, members_.end(), [&](ClassId a, ClassId b) { return rank_[a] < rank_[b]; });
    for (auto it = begin; it != members_.end(); ++it) open_[*it] = false;
    order_.insert(order_.end(), begin, members_.end());
    members_.erase(begin, members_.end());
  }

  const Arcs& arcs_;
  const std::vector<uint32_t>& rank_;
  std::vector<uint32_t> number_;  // 0: not visited
  std::vector<uint32_t> low_;
  std::vector<bool> open_;
  std::vector<ClassId> members_;
  std::vector<Visit> stack_;
  std::vector<ClassId> order_;
  uint32_t numbers_ = 0;
};

}  // namespace

std::vector<ClassId> order_of_classes(const EGraph& graph, const std::vector<uint32_t>& rank,
                                      bool follow_edges) {
  const Arcs arcs = arcs_of(graph, rank, follow_edges);
  return Components(arcs, rank).order();
}

}  // namespace flipsat::egraph
