#include "egraph/dag/greedy.h"

#include <algorithm>

#include "egraph/dag/sharing.h"

namespace flipsat::egraph::dag {
namespace {

constexpr int kFlowPasses = 3;
constexpr int kImprovePasses = 4;
// Uses counted in trying one choice; where the difference is larger the old choice stays.
constexpr size_t kConeLimit = 2000;

class Flow {
 public:
  Flow(const Problem& problem, const Components& components, const std::vector<Number>& order)
      : problem_(problem), order_(order), users_(problem.class_count()) {
    place_.resize(problem.class_count());
    for (Number i = 0; i < order.size(); ++i) place_[order[i]] = i;
    // Inside a component a choice may only use what comes earlier in the one fixed order.
    is_allowed_.resize(problem.node_count(), true);
    for (Number node = 0; node < problem.node_count(); ++node) {
      const Number cls = problem.owner[node];
      if (components.is_alone(cls)) continue;
      is_allowed_[node] = std::ranges::all_of(
          problem.needs(node), [&](Number need) { return place_[need] < place_[cls]; });
    }
    count_possible_users();
  }

  void choose(Selection& selection) const {
    std::vector<double> flow(problem_.class_count());
    for (const Number cls : order_) {
      double best = 0;
      bool any = false;
      for (const Number node : problem_.nodes(cls)) {
        if (!is_allowed_[node]) continue;
        double sum = static_cast<double>(problem_.cost[node]);
        for (const Number need : problem_.needs(node)) sum += flow[need];
        if (any && sum >= best) continue;
        any = true;
        best = sum;
        selection[cls] = node;
      }
      flow[cls] = best / std::max(1.0, users_[cls]);
    }
  }

  // Draws the number of users towards what this choice makes of it; the cost of what is in use.
  Cost learn(const Selection& selection) {
    std::vector<Number> used;
    const Cost cost = count(selection, used);
    for (const Number cls : order_) users_[cls] = (users_[cls] + used[cls]) / 2;
    return cost;
  }
  Cost count(const Selection& selection, std::vector<Number>& used) const {
    used.assign(problem_.class_count(), 0);
    Cost cost = 0;
    for (const Number root : problem_.roots) ++used[root];
    for (size_t i = order_.size(); i-- > 0;) {
      const Number cls = order_[i];
      if (used[cls] == 0) continue;
      cost += problem_.cost[selection[cls]];
      for (const Number need : problem_.needs(selection[cls])) ++used[need];
    }
    return cost;
  }

 private:
  void count_possible_users() {
    std::vector<Number> last_user(problem_.class_count(), kNoId);
    for (Number node = 0; node < problem_.node_count(); ++node) {
      if (!is_allowed_[node]) continue;
      for (const Number need : problem_.needs(node)) {
        if (std::exchange(last_user[need], problem_.owner[node]) != problem_.owner[node]) {
          ++users_[need];
        }
      }
    }
  }

  const Problem& problem_;
  const std::vector<Number>& order_;
  std::vector<Number> place_;  // by class
  std::vector<bool> is_allowed_;
  std::vector<double> users_;  // by class: an estimate
};

Selection improve(const Problem& problem, const Components& components,
                  const std::vector<Number>& order, Selection selection) {
  Sharing sharing(problem, components, std::move(selection));
  for (int pass = 0; pass < kImprovePasses; ++pass) {
    bool any = false;
    for (const Number cls : order) {
      if (!sharing.is_used(cls) || problem.node_count(cls) == 1) continue;
      for (const Number node : problem.nodes(cls)) any |= sharing.improve(node, kConeLimit);
      sharing.commit();
    }
    if (!any) break;
  }
  return sharing.selection();
}

}  // namespace

Selection choose_greedily(const Problem& problem, const Components& components, Trees trees) {
  Selection best = std::move(trees.selection);
  Selection selection = best;
  Flow flow(problem, components, trees.order);
  std::vector<Number> used;
  Cost best_cost = flow.count(best, used);
  for (int pass = 0; pass < kFlowPasses; ++pass) {
    flow.choose(selection);
    const Cost cost = flow.learn(selection);
    if (cost >= best_cost) continue;
    best = selection;
    best_cost = cost;
  }
  return improve(problem, components, trees.order, std::move(best));
}

}  // namespace flipsat::egraph::dag
