#include "egraph/dag/tree.h"

#include <algorithm>
#include <queue>

namespace flipsat::egraph::dag {
namespace {

struct Candidate {
  WideCost cost;
  Number node;
  // For a heap that has the best on top.
  bool operator<(const Candidate& other) const {
    return cost == other.cost ? other.node < node : other.cost < cost;
  }
};

class Settling {
 public:
  Settling(const Problem& problem, const Components& components, Trees& trees)
      : problem_(problem), components_(components), trees_(trees) {}

  void settle_alone(Number cls) {
    bool any = false;
    for (const Number node : problem_.nodes(cls)) {
      const WideCost cost = cost_of(node);
      if (any && !(cost < trees_.costs[cls])) continue;
      any = true;
      trees_.costs[cls] = cost;
      trees_.selection[cls] = node;
    }
    trees_.order.push_back(cls);
  }

  // Knuth's generalisation of Dijkstra's algorithm: no node costs less than its children, so the
  // cheapest class that is not settled is settled next.
  void settle_together(Number component) {
    if (waits_for_.empty()) start_waiting();
    for (const Number cls : components_.members(component)) {
      for (const Number node : problem_.nodes(cls)) {
        for (const Number child : problem_.needs(node)) {
          if (components_.of[child] == component) ++waits_for_[node];
        }
        if (waits_for_[node] == 0) heap_.push({cost_of(node), node});
      }
    }
    while (!heap_.empty()) {
      const Candidate best = heap_.top();
      heap_.pop();
      const Number cls = problem_.owner[best.node];
      if (trees_.selection[cls] != kNoId) continue;
      trees_.selection[cls] = best.node;
      trees_.costs[cls] = best.cost;
      trees_.order.push_back(cls);
      for (const Number user : users_->of(cls)) {
        if (components_.of[problem_.owner[user]] != component) continue;
        if (--waits_for_[user] == 0) heap_.push({cost_of(user), user});
      }
    }
  }

 private:
  void start_waiting() {
    waits_for_.resize(problem_.node_count());
    users_.emplace(problem_);
  }
  WideCost cost_of(Number node) const {
    WideCost cost(problem_.cost[node]);
    for (const Number child : problem_.needs(node)) cost += trees_.costs[child];
    return cost;
  }

  const Problem& problem_;
  const Components& components_;
  Trees& trees_;
  std::optional<Users> users_;
  std::vector<Number> waits_for_;  // by node: children in its component that are not settled
  std::priority_queue<Candidate> heap_;
};

}  // namespace

Trees::Trees(const Problem& problem, const Components& components)
    : selection(problem.class_count(), kNoId), costs(problem.class_count()) {
  order.reserve(problem.class_count());
  Settling settling(problem, components, *this);
  for (Number component = 0; component < components.count(); ++component) {
    if (components.sizes[component] == 1) {
      settling.settle_alone(components.members(component)[0]);
    } else {
      settling.settle_together(component);
    }
  }
}

}  // namespace flipsat::egraph::dag
