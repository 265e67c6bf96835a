#include "egraph/dag/neighbourhoods.h"

#include <algorithm>

#include "egraph/dag/branch.h"
#include "egraph/dag/part.h"
#include "egraph/dag/random.h"

namespace flipsat::egraph::dag {
namespace {

constexpr double kFirstSize = 25;  // classes that are decided anew
constexpr uint64_t kLeastWorkOfOne = 3'000'000;
constexpr uint64_t kMostOfOne = 150;  // there is work for so many at least

class Neighbourhoods {
 public:
  Neighbourhoods(const Problem& problem, Selection& selection, std::span<const Selection> others)
      : problem_(problem), users_(problem), selection_(selection), is_root_(problem.class_count()) {
    for (const Number root : problem.roots) is_root_[root] = true;
    for (const Selection& other : others) others_.push_back(classes_in_use(problem, other));
    for (Number cls = 0; cls < problem.class_count(); ++cls) {
      if (!is_root_[cls]) open_.push_back(cls);
    }
  }

  uint64_t run(const LocalOptions& options) {
    Cost cost = *cost_of(problem_, selection_);
    double size = kFirstSize;
    work_of_one_ = std::max(kLeastWorkOfOne, options.most_work / kMostOfOne);
    while (!open_.empty() && work_ < options.most_work && cost > options.known_bound) {
      const size_t count = static_cast<size_t>(size);
      const std::vector<bool> is_open =
          others_.empty() || random_.below(2) == 0 ? near_each_other(count) : differing(count);
      // What costs the same is taken too: it may lead on.
      size *= solve(is_open, cost + 1, cost) ? 1.02 : 0.95;
      size = std::clamp(size, 5.0, static_cast<double>(open_.size()));
    }
    return work_;
  }

 private:
  // By class; `count` that are near to one of them by needs and users.
  std::vector<bool> near_each_other(size_t count) {
    std::vector<bool> is_open(problem_.class_count());
    open_near(open_[random_.below(open_.size())], count, is_open);
    return is_open;
  }
  // What one of the other choices has in use and the best has not, and the other way round.
  std::vector<bool> differing(size_t count) {
    const std::vector<bool>& other = others_[random_.below(others_.size())];
    const std::vector<bool> is_used = classes_in_use(problem_, selection_);
    std::vector<Number> differ;
    for (const Number cls : open_) {
      if (is_used[cls] != other[cls]) differ.push_back(cls);
    }
    std::vector<bool> is_open(problem_.class_count());
    Number last = open_[random_.below(open_.size())];
    for (; count > 0 && !differ.empty(); --count) {
      std::swap(differ[random_.below(differ.size())], differ.back());
      last = differ.back();
      differ.pop_back();
      is_open[last] = true;
    }
    open_near(last, count, is_open);
    return is_open;
  }
  void open_near(Number start, size_t count, std::vector<bool>& is_open) {
    std::vector<bool> is_seen(problem_.class_count());
    std::vector<Number> border;
    const auto see = [&](Number cls) {
      if (!is_seen[cls]) border.push_back(cls);
      is_seen[cls] = true;
    };
    see(start);
    while (count > 0 && !border.empty()) {
      std::swap(border[random_.below(border.size())], border.back());
      const Number cls = border.back();
      border.pop_back();
      if (!is_root_[cls] && !is_open[cls]) {
        is_open[cls] = true;
        --count;
      }
      for (const Number node : problem_.nodes(cls)) {
        for (const Number need : problem_.needs(node)) see(need);
      }
      for (const Number user : users_.of(cls)) see(problem_.owner[user]);
    }
    work_ += problem_.class_count();
  }

  // True if the search came to its end.
  bool solve(const std::vector<bool>& is_open, Cost cutoff, Cost& cost) {
    const std::vector<bool> is_used = classes_in_use(problem_, selection_);
    std::vector<bool> is_dropped(problem_.node_count());
    for (Number node = 0; node < problem_.node_count(); ++node) {
      const auto is_out = [&](Number cls) { return !is_used[cls] && !is_open[cls]; };
      is_dropped[node] =
          is_out(problem_.owner[node]) || std::ranges::any_of(problem_.needs(node), is_out);
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
    const auto found = search.solve_below(rest->problem, cutoff, work_of_one_);
    work_ += search.work() + 4 * problem_.size();
    if (!found.selection.empty()) {
      Selection selection(problem_.class_count(), kNoId);
      rest->lift(found.selection, selection);
      if (const auto now = cost_of(problem_, selection); now && *now <= cost) {
        cost = *now;
        selection_ = std::move(selection);
      }
    }
    return search.work() < work_of_one_;
  }
  const Problem& problem_;
  const Users users_;
  Selection& selection_;
  std::vector<std::vector<bool>> others_;  // by class: what is in use there
  std::vector<bool> is_root_;
  std::vector<Number> open_;  // classes that may be decided at all
  Random random_;
  uint64_t work_of_one_ = 0;
  uint64_t work_ = 0;
};

}  // namespace

uint64_t search_neighbourhoods(const Problem& problem, Selection& selection,
                               std::span<const Selection> others, const LocalOptions& options) {
  return Neighbourhoods(problem, selection, others).run(options);
}

}  // namespace flipsat::egraph::dag
