#include "egraph/dag/local.h"

#include <algorithm>
#include <cmath>

#include "egraph/dag/random.h"
#include "egraph/dag/sharing.h"

namespace flipsat::egraph::dag {
namespace {

constexpr size_t kConeLimit = 2000;  // uses changed by one choice
constexpr int kDeepest = 4;          // classes taken out because of one another
constexpr size_t kMostUsers = 400;   // of a class that is taken out or brought in
constexpr double kHeat = 2;          // at first, in costs of a class in use
constexpr size_t kMostLooked = 200;  // classes looked at after a move

class LocalSearch {
 public:
  LocalSearch(const Problem& problem, const Components& components, Selection start)
      : problem_(problem),
        users_(problem),
        sharing_(problem, components, std::move(start)),
        is_root_(problem.class_count()),
        is_out_(problem.class_count()) {
    for (const Number root : problem.roots) is_root_[root] = true;
    for (Number cls = 0; cls < problem.class_count(); ++cls) {
      if (!is_root_[cls]) movable_.push_back(cls);
    }
  }

  LocalAnswer run(const LocalOptions& options) {
    LocalAnswer answer;
    answer.best = sharing_.selection();
    Cost best_cost = sharing_.cost();
    const double hot = starting_heat();
    const uint64_t work_of_round = options.most_work / static_cast<uint64_t>(options.rounds);
    for (int round = 0; round < options.rounds && !movable_.empty(); ++round) {
      const uint64_t begin = work_done();
      Selection best_here = sharing_.selection();
      Cost best_cost_here = sharing_.cost();
      while (work_done() - begin < work_of_round && best_cost > options.known_bound) {
        const double left =
            1 - static_cast<double>(work_done() - begin) / static_cast<double>(work_of_round);
        move(hot * left * left);
        if (sharing_.cost() >= best_cost_here) continue;
        best_here = sharing_.selection();
        best_cost_here = sharing_.cost();
        if (best_cost_here >= best_cost) continue;
        best_cost = best_cost_here;
        answer.best = best_here;
      }
      answer.of_round.push_back(std::move(best_here));
    }
    answer.work = work_done();
    return answer;
  }

 private:
  uint64_t work_done() const { return work_ + sharing_.work(); }

  // A share of what a class in use costs.
  double starting_heat() const {
    double sum = 0;
    size_t count = 0;
    for (Number cls = 0; cls < problem_.class_count(); ++cls) {
      const Cost own = problem_.cost[sharing_.selection()[cls]];
      if (!sharing_.is_used(cls) || own == 0) continue;
      sum += static_cast<double>(own);
      ++count;
    }
    return count == 0 ? 1 : kHeat * sum / static_cast<double>(count);
  }

  void move(double heat) {
    const Number cls = movable_[random_.below(movable_.size())];
    work_ += 10;
    if (users_.of(cls).size() > kMostUsers) return;
    const Cost before = sharing_.cost();
    const bool is_made = sharing_.is_used(cls) ? take_out(cls, kDeepest) : bring_in(cls);
    if (is_made) polish();
    const Cost after = sharing_.cost();
    const bool is_kept =
        is_made &&
        (after <= before ||
         random_.unit() < std::exp(-static_cast<double>(after - before) / std::max(heat, 1e-9)));
    if (!is_kept) sharing_.undo(0);
    sharing_.commit();
  }

  // Its users take the nodes without it that add least.
  bool take_out(Number cls, int depth) {
    if (is_root_[cls] || depth == 0) return false;
    is_out_[cls] = true;
    bool is_done = true;
    for (const Number user : users_.of(cls)) {
      const Number user_class = problem_.owner[user];
      if (!sharing_.is_used(cls)) break;
      if (sharing_.selection()[user_class] != user || !sharing_.is_used(user_class)) continue;
      if (!take_another(user_class) && !take_out(user_class, depth - 1)) {
        is_done = false;
        break;
      }
    }
    is_out_[cls] = false;
    return is_done && !sharing_.is_used(cls);
  }
  bool take_another(Number cls) {
    Number best = kNoId;
    Cost best_cost = 0;
    Number ties = 0;
    for (const Number node : problem_.nodes(cls)) {
      ++work_;
      if (std::ranges::any_of(problem_.needs(node), [&](Number need) { return is_out_[need]; })) {
        continue;
      }
      const size_t mark = sharing_.mark();
      if (!sharing_.take(node, kConeLimit)) continue;
      const Cost cost = sharing_.cost();
      sharing_.undo(mark);
      if (best == kNoId || cost < best_cost) {
        best = node;
        best_cost = cost;
        ties = 1;
      } else if (cost == best_cost && random_.below(++ties) == 0) {
        best = node;
      }
    }
    return best != kNoId && sharing_.take(best, kConeLimit);
  }

  // While it is held it costs its users nothing.
  bool bring_in(Number cls) {
    sharing_.hold(cls);
    for (const Number user : users_.of(cls)) {
      ++work_;
      const Number user_class = problem_.owner[user];
      if (!sharing_.is_used(user_class) || sharing_.selection()[user_class] == user) continue;
      const Cost before = sharing_.cost();
      const size_t mark = sharing_.mark();
      if (sharing_.take(user, kConeLimit) && sharing_.cost() > before) sharing_.undo(mark);
    }
    const bool is_wanted = sharing_.users(cls) > 1;
    sharing_.let_go(cls);
    return is_wanted;
  }

  // Around what changed: is a class superfluous, is another node better?
  void polish() {
    std::vector<Number> changed;
    for (const Sharing::Change& change : sharing_.log()) changed.push_back(change.cls);
    std::ranges::sort(changed);
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    if (changed.size() > kMostLooked) changed.resize(kMostLooked);
    for (const Number cls : changed) {
      if (!sharing_.is_used(cls)) continue;
      if (problem_.node_count(cls) > 1) {
        for (const Number node : problem_.nodes(cls)) sharing_.improve(node, kConeLimit);
      }
      if (is_root_[cls] || sharing_.users(cls) > kMostUsers || users_.of(cls).size() > kMostUsers ||
          !sharing_.is_used(cls)) {
        continue;
      }
      const Cost before = sharing_.cost();
      const size_t mark = sharing_.mark();
      if (!take_out(cls, 1) || sharing_.cost() >= before) sharing_.undo(mark);
    }
  }

  const Problem& problem_;
  const Users users_;
  Sharing sharing_;
  Random random_;
  std::vector<bool> is_root_;
  std::vector<bool> is_out_;  // by class: may not be taken in the move under way
  std::vector<Number> movable_;
  uint64_t work_ = 0;
};

}  // namespace

LocalAnswer search_locally(const Problem& problem, const Components& components, Selection start,
                           const LocalOptions& options) {
  return LocalSearch(problem, components, std::move(start)).run(options);
}

}  // namespace flipsat::egraph::dag
