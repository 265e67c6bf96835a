#include "egraph/dag/problem.h"

#include <algorithm>

namespace flipsat::egraph::dag {

void Problem::add_node(Cost node_cost, std::span<const Number> needed) {
  owner.push_back(class_count());
  cost.push_back(node_cost);
  children.insert(children.end(), needed.begin(), needed.end());
  const auto begin = children.begin() + first_child.back();
  std::sort(begin, children.end());
  children.erase(std::unique(begin, children.end()), children.end());
  first_child.push_back(static_cast<Number>(children.size()));
}

Users::Users(const Problem& problem)
    : first(problem.class_count() + 1), nodes(problem.children.size()) {
  for (const Number child : problem.children) ++first[child + 1];
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<Number> next(first.begin(), first.end() - 1);
  for (Number node = 0; node < problem.node_count(); ++node) {
    for (const Number child : problem.needs(node)) nodes[next[child]++] = node;
  }
}

std::optional<Cost> cost_of(const Problem& problem, const Selection& selection) {
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(problem.class_count(), kNew);
  struct Visit {
    Number cls, next_child;
  };
  std::vector<Visit> stack;
  Cost sum = 0;
  // False if the class is one that is being visited, or has no choice.
  const auto enter = [&](Number cls) {
    if (state[cls] == kDone) return true;
    if (state[cls] == kOpen || selection[cls] == kNoId) return false;
    state[cls] = kOpen;
    sum += problem.cost[selection[cls]];
    stack.push_back({cls, problem.first_child[selection[cls]]});
    return true;
  };
  for (const Number root : problem.roots) {
    if (!enter(root)) return std::nullopt;
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next_child == problem.first_child[selection[visit.cls] + 1]) {
        state[visit.cls] = kDone;
        stack.pop_back();
      } else if (!enter(problem.children[visit.next_child++])) {
        return std::nullopt;
      }
    }
  }
  return sum;
}

std::vector<bool> classes_in_use(const Problem& problem, const Selection& selection) {
  std::vector<bool> is_used(problem.class_count());
  std::vector<Number> found;
  const auto use = [&](Number cls) {
    if (!is_used[cls]) found.push_back(cls);
    is_used[cls] = true;
  };
  for (const Number root : problem.roots) use(root);
  while (!found.empty()) {
    const Number node = selection[found.back()];
    found.pop_back();
    for (const Number need : problem.needs(node)) use(need);
  }
  return is_used;
}

Selection build_from(const Problem& problem, const std::vector<bool>& is_in_set) {
  Selection selection(problem.class_count(), kNoId);
  const Users users(problem);
  std::vector<Number> waits_for(problem.node_count());
  std::vector<Number> ready;
  const auto offer = [&](Number node) {
    if (!is_in_set[node] || selection[problem.owner[node]] != kNoId) return;
    selection[problem.owner[node]] = node;
    ready.push_back(problem.owner[node]);
  };
  for (Number node = 0; node < problem.node_count(); ++node) {
    waits_for[node] = static_cast<Number>(problem.needs(node).size());
    if (waits_for[node] == 0) offer(node);
  }
  while (!ready.empty()) {
    const Number cls = ready.back();
    ready.pop_back();
    for (const Number user : users.of(cls)) {
      if (--waits_for[user] == 0) offer(user);
    }
  }
  return selection;
}

}  // namespace flipsat::egraph::dag
