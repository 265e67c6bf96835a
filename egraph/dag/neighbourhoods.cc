#include "egraph/dag/neighbourhoods.h"

#include <algorithm>

#include "egraph/dag/branch.h"
#include "egraph/dag/part.h"
#include "egraph/dag/random.h"

namespace flipsat::egraph::dag {
namespace {

constexpr double kFirstSize = 25;  // classes that are decided anew
constexpr uint64_t kWorkOfOne = 3'000'000;

class Neighbourhoods {
 public:
  Neighbourhoods(const Problem& problem, Selection& selection)
      : problem_(problem), users_(problem), selection_(selection), is_root_(problem.class_count()) {
    for (const Number root : problem.roots) is_root_[root] = true;
    for (Number cls = 0; cls < problem.class_count(); ++cls) {
      if (!is_root_[cls]) open_.push_back(cls);
    }
  }

  uint64_t run(const LocalOptions& options) {
    Cost cost = *cost_of(problem_, selection_);
    double size = kFirstSize;
    while (!open_.empty() && work_ < options.most_work && cost > options.known_bound) {
      const std::vector<bool> is_open = choose(static_cast<size_t>(size));
      // What costs the same is taken too: it may lead on.
      size *= solve(is_open, cost + 1, cost) ? 1.02 : 0.95;
      size = std::clamp(size, 5.0, static_cast<double>(open_.size()));
    }
    return work_;
  }

 private:
  // By class; `count` that are near to one of them by needs and users.
  std::vector<bool> choose(size_t count) {
    std::vector<bool> is_seen(problem_.class_count());
    std::vector<bool> is_open(problem_.class_count());
    std::vector<Number> border;
    const auto see = [&](Number cls) {
      if (!is_seen[cls]) border.push_back(cls);
      is_seen[cls] = true;
    };
    see(open_[random_.below(open_.size())]);
    while (count > 0 && !border.empty()) {
      std::swap(border[random_.below(border.size())], border.back());
      const Number cls = border.back();
      border.pop_back();
      if (!is_root_[cls]) {
        is_open[cls] = true;
        --count;
      }
      for (const Number node : problem_.nodes(cls)) {
        for (const Number need : problem_.needs(node)) see(need);
      }
      for (const Number user : users_.of(cls)) see(problem_.owner[user]);
    }
    work_ += problem_.class_count();
    return is_open;
  }

  // True if the search came to its end.
  bool solve(const std::vector<bool>& is_open, Cost cutoff, Cost& cost) {
    const std::vector<bool> is_used = classes_in_use(problem_, selection_);
    std::vector<bool> is_dropped(problem_.node_count());
    for (Number node = 0; node < problem_.node_count(); ++node) {
      const auto is_out = [&](Number cls) { return !is_used[cls] && !is_open[cls]; };
      is_dropped[node] = is_out(problem_.owner[node]) ||
                         std::ranges::any_of(problem_.needs(node), is_out);
    }
    auto rest = without(problem_, is_dropped);
    if (!rest) return true;
    std::vector<Number> roots;
    for (Number cls = 0; cls < rest->problem.class_count(); ++cls) {
      const Number whole = rest->class_of[cls];
      if (is_root_[whole] || (is_used[whole] && !is_open[whole])) roots.push_back(cls);
    }
    rest->problem.roots = std::move(roots);
    BranchOptions options;
    BranchAndBound search(options);
    const auto found = search.solve_below(rest->problem, cutoff, kWorkOfOne);
    work_ += search.work() + 4 * problem_.size();
    if (!found.selection.empty()) {
      Selection selection(problem_.class_count(), kNoId);
      rest->lift(found.selection, selection);
      if (const auto now = cost_of(problem_, selection); now && *now <= cost) {
        cost = *now;
        selection_ = std::move(selection);
      }
    }
    return search.work() < kWorkOfOne;
  }
  const Problem& problem_;
  const Users users_;
  Selection& selection_;
  std::vector<bool> is_root_;
  std::vector<Number> open_;  // classes that may be decided at all
  Random random_;
  uint64_t work_ = 0;
};

}  // namespace

uint64_t search_neighbourhoods(const Problem& problem, Selection& selection,
                               const LocalOptions& options) {
  return Neighbourhoods(problem, selection).run(options);
}

}  // namespace flipsat::egraph::dag
