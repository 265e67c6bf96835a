#include "egraph/dag/components.h"

#include <algorithm>
#include <numeric>

namespace flipsat::egraph::dag {
namespace {

// Tarjan's algorithm with a stack of its own: problems are deep.
class Tarjan {
 public:
  Tarjan(const Problem& problem, Components& result)
      : problem_(problem),
        result_(result),
        number_(problem.class_count()),
        low_(problem.class_count()) {
    result_.of.assign(problem.class_count(), kNoId);
    for (Number cls = 0; cls < problem.class_count(); ++cls) {
      if (number_[cls] == 0) walk(cls);
    }
  }

 private:
  struct Visit {
    Number cls, next_child;
  };
  // The nodes of a class lie together, so do all their children.
  void enter(Number cls) {
    number_[cls] = low_[cls] = ++numbers_;
    members_.push_back(cls);
    stack_.push_back({cls, problem_.first_child[problem_.first_node[cls]]});
  }
  void walk(Number start) {
    enter(start);
    while (!stack_.empty()) {
      Visit& visit = stack_.back();
      const Number cls = visit.cls;
      if (visit.next_child < problem_.first_child[problem_.first_node[cls + 1]]) {
        const Number child = problem_.children[visit.next_child++];
        if (number_[child] == 0) {
          enter(child);
        } else if (result_.of[child] == kNoId) {
          low_[cls] = std::min(low_[cls], number_[child]);
        }
        continue;
      }
      stack_.pop_back();
      if (!stack_.empty()) low_[stack_.back().cls] = std::min(low_[stack_.back().cls], low_[cls]);
      if (low_[cls] == number_[cls]) close(cls);
    }
  }
  void close(Number cls) {
    result_.first.push_back(static_cast<Number>(result_.order.size()));
    Number member;
    do {
      member = members_.back();
      members_.pop_back();
      result_.of[member] = static_cast<Number>(result_.sizes.size());
      result_.order.push_back(member);
    } while (member != cls);
    result_.sizes.push_back(static_cast<Number>(result_.order.size()) - result_.first.back());
  }

  const Problem& problem_;
  Components& result_;
  std::vector<Number> number_;  // 0: not visited
  std::vector<Number> low_;
  std::vector<Number> members_;
  std::vector<Visit> stack_;
  Number numbers_ = 0;
};

}  // namespace

Components::Components(const Problem& problem) { Tarjan(problem, *this); }

Parts::Parts(const Problem& problem) {
  std::vector<Number> parent(problem.class_count());
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](Number cls) {
    while (parent[cls] != cls) cls = parent[cls] = parent[parent[cls]];
    return cls;
  };
  for (Number node = 0; node < problem.node_count(); ++node) {
    for (const Number child : problem.needs(node)) {
      const Number a = find(problem.owner[node]), b = find(child);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  of.resize(problem.class_count());
  for (Number cls = 0; cls < problem.class_count(); ++cls) {
    const Number first = find(cls);
    if (first == cls) {
      of[cls] = static_cast<Number>(members.size());
      members.emplace_back();
    } else {
      of[cls] = of[first];
    }
    members[of[cls]].push_back(cls);
  }
}

}  // namespace flipsat::egraph::dag
