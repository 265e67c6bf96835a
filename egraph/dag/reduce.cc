#include "egraph/dag/reduce.h"

#include <algorithm>

#include "egraph/dag/needs.h"
#include "egraph/dag/tree.h"

namespace flipsat::egraph::dag {
namespace {

// Nodes of a class that each node is compared with, the cheapest first.
constexpr size_t kRivals = 40;
constexpr int kMostRounds = 30;
// What an inlined class may stand for: shared zero-cost classes, one above the other, would else
// grow exponentially.
constexpr size_t kMostNeeds = 24;
constexpr size_t kMostNeedsOfOne = 4096;  // where one node takes it

// One round of all reductions over a problem.
class Round {
 public:
  Round(const Reduced& from, uint64_t& work)
      : from_(from),
        problem_(from.problem),
        components_(problem_),
        users_(problem_),
        needs_(problem_, components_, work),
        forced_(needs_.forced()),
        cost_(problem_.cost),
        is_dropped_(problem_.node_count()),
        inlined_(problem_.class_count(), kNoId) {
    work += 8 * problem_.size();
  }

  // True if the result is smaller.
  bool run(Reduced& result) {
    drop_impossible();
    drop_dominated();
    inline_classes();
    return compact(result);
  }

 private:
  bool is_free(Number need, Number user) const {
    return forced_[need] && components_.of[need] != components_.of[user];
  }

  // Whoever needs his own class in the end cannot be the first way to build it.
  void drop_impossible() {
    std::vector<Number> all;
    const Selection built = build_from(problem_, std::vector<bool>(problem_.node_count(), true));
    for (Number node = 0; node < problem_.node_count(); ++node) {
      const Number cls = problem_.owner[node];
      if (std::ranges::any_of(problem_.needs(node),
                              [&](Number need) { return built[need] == kNoId; })) {
        is_dropped_[node] = true;
      } else if (!components_.is_alone(cls)) {
        needs_.of_node(node, all);
        is_dropped_[node] = std::ranges::binary_search(all, cls);
      } else {
        is_dropped_[node] = std::ranges::binary_search(problem_.needs(node), cls);
      }
    }
  }

  void drop_dominated() {
    const Trees trees(problem_, components_);
    std::vector<Number> rivals, had;
    for (Number cls = 0; cls < problem_.class_count(); ++cls) {
      rivals.clear();
      for (const Number node : problem_.nodes(cls)) {
        if (!is_dropped_[node]) rivals.push_back(node);
      }
      if (rivals.size() < 2) continue;
      std::ranges::stable_sort(rivals, [&](Number a, Number b) {
        return problem_.cost[a] != problem_.cost[b]
                   ? problem_.cost[a] < problem_.cost[b]
                   : problem_.needs(a).size() < problem_.needs(b).size();
      });
      for (size_t i = 1; i < rivals.size(); ++i) {
        const Number node = rivals[i];
        needs_.of_node(node, had);
        const bool may_use_trees = trees.selection[cls] != node;
        for (size_t j = 0; j < std::min(i, kRivals); ++j) {
          if (is_dropped_[rivals[j]]) continue;
          if (!dominates(rivals[j], node, had, trees, may_use_trees)) continue;
          is_dropped_[node] = true;
          break;
        }
      }
    }
  }
  bool dominates(Number node, Number other, const std::vector<Number>& had, const Trees& trees,
                 bool may_use_trees) const {
    WideCost cost(problem_.cost[node]);
    bool is_extra = false;
    for (const Number need : problem_.needs(node)) {
      if (is_free(need, problem_.owner[node])) continue;
      if (std::ranges::binary_search(had, need)) continue;
      if (!may_use_trees) return false;
      is_extra = true;
      cost += trees.costs[need];
    }
    return !is_extra || cost < WideCost(problem_.cost[other]);
  }

  Number only_node(Number cls) const {
    Number only = kNoId;
    for (const Number node : problem_.nodes(cls)) {
      if (is_dropped_[node]) continue;
      if (only != kNoId) return kNoId;
      only = node;
    }
    return only;
  }
  bool has_one_user_class(Number cls) const {
    Number user_class = kNoId;
    for (const Number user : users_.of(cls)) {
      if (is_dropped_[user]) continue;
      const Number of_user = problem_.owner[user];
      if (of_user == cls || (user_class != kNoId && user_class != of_user)) return false;
      user_class = of_user;
    }
    return true;
  }
  void inline_classes() {
    std::vector<bool> must_stay(problem_.class_count());
    // What the users of an inlined class need in its place, shared needs counted again and again.
    std::vector<size_t> stands_for(problem_.class_count(), 1);
    for (const Number cls : components_.order) {
      if (must_stay[cls] || forced_[cls]) continue;
      const Number node = only_node(cls);
      if (node == kNoId || (cost_[node] != 0 && !has_one_user_class(cls))) continue;
      size_t needs = 0;
      for (const Number need : problem_.needs(node)) {
        needs += inlined_[need] != kNoId ? stands_for[need] : 1;
      }
      if (needs > kMostNeeds && users_.of(cls).size() > 1) continue;
      if (needs > kMostNeedsOfOne) continue;
      stands_for[cls] = needs;
      // What it needs and is not decided yet, in a cycle, stays for another round.
      for (const Number need : problem_.needs(node)) must_stay[need] = true;
      inlined_[cls] = node;
      if (cost_[node] == 0) continue;
      for (const Number user : users_.of(cls)) cost_[user] += cost_[node];
    }
  }

  // What a node needs after this round.
  void needs_of(Number node, Number user, std::vector<Number>& result) const {
    for (const Number need : problem_.needs(node)) {
      if (inlined_[need] != kNoId) {
        needs_of(inlined_[need], user, result);
      } else if (!is_free(need, user)) {
        result.push_back(need);
      }
    }
  }
  void drop_implied(std::vector<Number>& needs) const {
    std::ranges::sort(needs);
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    if (needs.size() < 2) return;
    const auto is_implied = [&](Number need) {
      return std::ranges::any_of(needs, [&](Number by) {
        return by != need && std::ranges::binary_search(needs_.of(by), need) &&
               !std::ranges::binary_search(needs_.of(need), by);
      });
    };
    std::vector<Number> kept;
    std::ranges::remove_copy_if(needs, std::back_inserter(kept), is_implied);
    needs = std::move(kept);
  }

  bool compact(Reduced& result) {
    std::vector<std::vector<Number>> needs(problem_.node_count());
    for (Number node = 0; node < problem_.node_count(); ++node) {
      const Number cls = problem_.owner[node];
      if (is_dropped_[node] || inlined_[cls] != kNoId) continue;
      needs_of(node, cls, needs[node]);
      drop_implied(needs[node]);
      is_dropped_[node] = std::ranges::binary_search(needs[node], cls);
    }
    std::vector<bool> is_kept(problem_.class_count());
    std::vector<Number> reached;
    const auto reach = [&](Number cls) {
      if (!is_kept[cls]) reached.push_back(cls);
      is_kept[cls] = true;
    };
    for (Number cls = 0; cls < problem_.class_count(); ++cls) {
      if (forced_[cls]) reach(cls);
    }
    for (size_t i = 0; i < reached.size(); ++i) {
      for (const Number node : problem_.nodes(reached[i])) {
        if (is_dropped_[node]) continue;
        for (const Number need : needs[node]) reach(need);
      }
    }
    result.paid = from_.paid;
    result.settled = from_.settled;
    std::vector<Number> number(problem_.class_count(), kNoId);
    for (Number cls = 0; cls < problem_.class_count(); ++cls) {
      if (inlined_[cls] != kNoId) result.settled.push_back(from_.node_of[inlined_[cls]]);
      if (!is_kept[cls]) continue;
      const Number only = forced_[cls] ? only_node(cls) : kNoId;
      if (only != kNoId && needs[only].empty()) {
        // Only in a cycle may it still be needed; there it stays.
        const bool is_needed = !components_.is_alone(cls);
        if (!is_needed) {
          result.paid += cost_[only];
          result.settled.push_back(from_.node_of[only]);
          continue;
        }
      }
      number[cls] = static_cast<Number>(result.class_of.size());
      result.class_of.push_back(from_.class_of[cls]);
    }
    for (Number cls = 0; cls < problem_.class_count(); ++cls) {
      if (number[cls] == kNoId) continue;
      if (forced_[cls]) result.problem.roots.push_back(number[cls]);
      for (const Number node : problem_.nodes(cls)) {
        if (is_dropped_[node]) continue;
        for (Number& need : needs[node]) need = number[need];
        result.problem.add_node(cost_[node], needs[node]);
        result.node_of.push_back(from_.node_of[node]);
      }
      result.problem.close_class();
    }
    return result.problem.size() < problem_.size();
  }

  const Reduced& from_;
  const Problem& problem_;
  const Components components_;
  const Users users_;
  const Needs needs_;
  const std::vector<bool> forced_;
  std::vector<Cost> cost_;        // by node, with what joined it
  std::vector<bool> is_dropped_;  // by node
  std::vector<Number> inlined_;   // by class: its only node, if it joins its users
};

}  // namespace

void Reduced::lift(const Selection& reduced, const Problem& from, Selection& selection) const {
  for (const Number node : settled) selection[from.owner[node]] = node;
  for (Number cls = 0; cls < problem.class_count(); ++cls) {
    if (reduced[cls] != kNoId) selection[class_of[cls]] = node_of[reduced[cls]];
  }
}

Reduced reduce(const Problem& problem, uint64_t& work) {
  Reduced reduced;
  reduced.problem = problem;
  for (Number cls = 0; cls < problem.class_count(); ++cls) reduced.class_of.push_back(cls);
  for (Number node = 0; node < problem.node_count(); ++node) reduced.node_of.push_back(node);
  for (int round = 0; round < kMostRounds; ++round) {
    Reduced next;
    const bool is_smaller = Round(reduced, work).run(next);
    const bool settles = next.settled.size() > reduced.settled.size();
    reduced = std::move(next);
    if (!is_smaller && !settles) break;
  }
  return reduced;
}

}  // namespace flipsat::egraph::dag
