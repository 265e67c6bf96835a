#include "egraph/dag/elimination_order.h"

#include <algorithm>
#include <set>

namespace flipsat::egraph::dag {
namespace {

using Neighbours = std::vector<Number>;  // rising

class Ordering {
 public:
  Ordering(const Problem& problem, size_t widest) : widest_(widest) {
    is_root_.resize(problem.class_count());
    for (const Number root : problem.roots) is_root_[root] = true;
    neighbours_.resize(problem.class_count());
    Neighbours scope;
    for (Number cls = 0; cls < problem.class_count() && !is_too_wide_; ++cls) {
      scope = {cls};
      for (const Number node : problem.nodes(cls)) {
        const auto needs = problem.needs(node);
        scope.insert(scope.end(), needs.begin(), needs.end());
      }
      std::erase_if(scope, [&](Number member) { return is_root_[member]; });
      std::ranges::sort(scope);
      scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
      is_too_wide_ = scope.size() > widest + 1;
      if (!is_too_wide_) join(scope);
    }
  }

  std::optional<EliminationOrder> run(uint64_t& work) {
    EliminationOrder order;
    order.turn.assign(neighbours_.size(), kNoId);
    for (Number cls = 0; cls < neighbours_.size(); ++cls) {
      if (!is_root_[cls]) queue_.insert({neighbours_[cls].size(), cls});
    }
    while (!queue_.empty() && !is_too_wide_) {
      const auto [degree, cls] = *queue_.begin();
      if (degree > widest_) return std::nullopt;
      queue_.erase(queue_.begin());
      const Neighbours scope = std::move(neighbours_[cls]);
      for (const Number other : scope) {
        queue_.erase({neighbours_[other].size(), other});
        std::erase(neighbours_[other], cls);
      }
      join(scope);
      for (const Number other : scope) queue_.insert({neighbours_[other].size(), other});
      work += (scope.size() + 1) * (scope.size() + 1);
      order.turn[cls] = static_cast<Number>(order.variables.size());
      order.variables.push_back(cls);
      order.neighbours.push_back(scope);
    }
    if (is_too_wide_) return std::nullopt;
    return order;
  }

 private:
  void join(const Neighbours& scope) {
    for (const Number member : scope) {
      merged_.clear();
      std::ranges::set_union(neighbours_[member], scope, std::back_inserter(merged_));
      std::erase(merged_, member);
      std::swap(neighbours_[member], merged_);
    }
  }

  size_t widest_;
  bool is_too_wide_ = false;
  std::vector<bool> is_root_;
  std::vector<Neighbours> neighbours_;  // by class
  std::set<std::pair<size_t, Number>> queue_;
  Neighbours merged_;
};

}  // namespace

std::optional<EliminationOrder> elimination_order(const Problem& problem, size_t widest,
                                                  uint64_t& work) {
  work += problem.size();
  return Ordering(problem, widest).run(work);
}

}  // namespace flipsat::egraph::dag
