// Greedy-dag extraction, by two ideas of technology mapping.
//
// Flow: a class's cost is split among its users, so that shared things look as cheap as they are.
// How many users it has is first taken to be the number of classes that could use it, then drawn
// towards what the choices so made say. Exact improvement: users are counted,
// and a class changes its choice whenever that lowers the true cost of the whole. Trying one means
// to count in what it needs and to count out what the old one needed; only where the two differ is
// anything visited, so no cost set is kept for any class.
//
// To stay free of circles, a choice may only use classes that come earlier in one fixed order:
// strongly connected components of the e-graph in topological order, and inside one, the order in
// which tree extraction settled the classes.
#include <algorithm>
#include <utility>

#include "egraph/class_order.h"
#include "egraph/extract_tree.h"

namespace flipsat::egraph {
namespace {

constexpr int kFlowPasses = 3;
constexpr int kImprovePasses = 4;
// Uses counted in trying one choice; where the difference is larger the old choice stays.
constexpr size_t kConeLimit = 2000;

Cost saturating_add(Cost a, Cost b) { return a > kUnusable - b ? kUnusable : a + b; }

class GreedyDag {
 public:
  GreedyDag(const EGraph& graph, std::span<const ClassId> roots, TreeExtraction tree,
            const ExtractOptions& options)
      : graph_(graph),
        options_(options),
        own_(std::move(tree.own)),
        choices_(std::move(tree.choices)),
        users_(graph.node_bound()) {
    order_ = order_of_classes(graph, tree.rank, options.follow_edges);
    place_.assign(graph.node_bound(), kNoId);
    for (uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
    for (const ClassId root : roots) {
      const ClassId cls = graph.find(root);
      if (place_[cls] != kNoId) roots_.push_back(cls);
    }
  }

  std::vector<Choice> run() {
    count_users();
    std::vector<Choice> best = choices_;
    Cost best_cost = cost_;
    std::vector<double> users = possible_users();
    for (int pass = 0; pass < kFlowPasses; ++pass) {
      choose_by_flow(users);
      count_users();
      for (const ClassId cls : order_) users[cls] = (users[cls] + users_[cls]) / 2;
      if (cost_ >= best_cost) continue;
      best = choices_;
      best_cost = cost_;
    }
    choices_ = std::move(best);
    count_users();
    for (int pass = 0; pass < kImprovePasses && improve(); ++pass) {
    }
    return std::move(choices_);
  }

 private:
  std::span<const ClassId> needs(const Choice& choice) const {
    if (choice.node == kNoId) return {&choice.via, 1};
    return graph_.children(choice.node);
  }
  Cost own(const Choice& choice) const { return choice.node == kNoId ? 0 : own_[choice.node]; }
  bool is_allowed(ClassId cls, const Choice& choice) const {
    if (own(choice) == kUnusable) return false;
    return std::ranges::all_of(needs(choice), [&](ClassId need) {
      return place_[need] != kNoId && place_[need] < place_[cls];
    });
  }
  // Calls `visit(choice)` for each choice that the class may take.
  template <class Visit>
  void for_each_choice(ClassId cls, Visit&& visit) const {
    for (const NodeId node : graph_.nodes(cls)) {
      if (const Choice choice{node, kNoId}; is_allowed(cls, choice)) visit(choice);
    }
    if (!options_.follow_edges) return;
    for (const Edge& edge : graph_.edges(cls)) {
      if (const Choice choice{kNoId, edge.to}; is_allowed(cls, choice)) visit(choice);
    }
  }

  void count_users() {
    std::ranges::fill(users_, 0);
    cost_ = 0;
    for (const ClassId root : roots_) use(root);
    for (uint32_t i = static_cast<uint32_t>(order_.size()); i-- > 0;) {
      const ClassId cls = order_[i];
      if (users_[cls] == 0) continue;
      cost_ = saturating_add(cost_, own(choices_[cls]));
      for (const ClassId need : needs(choices_[cls])) use(need);
    }
  }
  void use(ClassId cls) { ++users_[cls]; }

  // By class: how many classes have a node, or an edge, that needs it.
  std::vector<double> possible_users() const {
    std::vector<double> users(graph_.node_bound());
    std::vector<ClassId> last_user(graph_.node_bound(), kNoId);
    for (const ClassId cls : order_) {
      for_each_choice(cls, [&](const Choice& choice) {
        for (const ClassId need : needs(choice)) {
          if (std::exchange(last_user[need], cls) != cls) ++users[need];
        }
      });
    }
    return users;
  }

  void choose_by_flow(const std::vector<double>& users) {
    std::vector<double> flow(graph_.node_bound());
    for (const ClassId cls : order_) {
      double best = 0;
      bool any = false;
      for_each_choice(cls, [&](const Choice& choice) {
        double sum = static_cast<double>(own(choice));
        for (const ClassId need : needs(choice)) sum += flow[need];
        if (any && sum >= best) return;
        any = true;
        best = sum;
        choices_[cls] = choice;
      });
      flow[cls] = best / std::max(1.0, users[cls]);
    }
  }

  // One round over all classes in use; true if something got cheaper.
  bool improve() {
    bool improved = false;
    for (const ClassId cls : order_) {
      if (users_[cls] == 0) continue;
      for_each_choice(cls, [&](const Choice& choice) {
        if (choice.node == choices_[cls].node && choice.via == choices_[cls].via) return;
        improved |= try_choice(cls, choice);
      });
    }
    return improved;
  }

  bool try_choice(ClassId cls, const Choice& choice) {
    log_.clear();
    // In before out: what both need stays in use and is not walked through.
    const Cost more = saturating_add(own(choice), count(choice, +1));
    const Cost less = saturating_add(own(choices_[cls]), count(choices_[cls], -1));
    if (more < less && log_.size() < kConeLimit) {
      choices_[cls] = choice;
      return true;
    }
    for (const auto& [need, change] : log_) users_[need] -= change;
    return false;
  }

  // Counts a user of what the choice needs in (+1) or out (-1); the cost of the classes that come
  // into use, or go out of it, with that.
  Cost count(const Choice& choice, int change) {
    Cost sum = 0;
    const auto count_needs = [&](const Choice& user) {
      for (const ClassId need : needs(user)) {
        if (log_.size() >= kConeLimit) return;
        log_.emplace_back(need, change);
        const uint32_t before = users_[need];
        users_[need] += change;
        if (before != 0 && users_[need] != 0) continue;
        sum = saturating_add(sum, own(choices_[need]));
        stack_.push_back(need);
      }
    };
    count_needs(choice);
    while (!stack_.empty()) {
      const ClassId cls = stack_.back();
      stack_.pop_back();
      count_needs(choices_[cls]);
    }
    return sum;
  }

  const EGraph& graph_;
  const ExtractOptions& options_;
  std::vector<Cost> own_;
  std::vector<Choice> choices_;
  std::vector<uint32_t> users_;  // by class: uses by chosen nodes in use, and by roots
  std::vector<ClassId> order_;
  std::vector<uint32_t> place_;  // by class: in `order_`
  std::vector<ClassId> roots_;
  std::vector<std::pair<ClassId, int>> log_;  // changes of `users_` in the trial under way
  std::vector<ClassId> stack_;
  Cost cost_ = 0;  // of what is in use, each class once
};

}  // namespace

Extraction extract_greedy_dag(const EGraph& graph, std::span<const ClassId> roots,
                              const CostFunction& cost, const ExtractOptions& options) {
  TreeExtraction tree = settle_trees(graph, cost, options);
  return Extraction(GreedyDag(graph, roots, std::move(tree), options).run());
}

}  // namespace flipsat::egraph
