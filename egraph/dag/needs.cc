#include "egraph/dag/needs.h"

#include <algorithm>

namespace flipsat::egraph::dag {
namespace {

constexpr size_t kLongest = 24;
// Through cycles the lists grow with each pass; what is missed after these is missed.
constexpr int kPassesOfCycles = 3;

}  // namespace

Needs::Needs(const Problem& problem, const Components& components, uint64_t& work)
    : problem_(problem), begin_(problem.class_count()), size_(problem.class_count(), 1) {
  lists_.resize(problem.class_count());
  for (Number cls = 0; cls < problem.class_count(); ++cls) lists_[cls] = begin_[cls] = cls;
  for (Number component = 0; component < components.count(); ++component) {
    const int passes = components.sizes[component] == 1 ? 1 : kPassesOfCycles;
    for (int pass = 0; pass < passes; ++pass) {
      for (const Number cls : components.members(component)) update(cls);
    }
  }
  work += 4 * problem.size();
}

void Needs::of_node(Number node, std::vector<Number>& result) const {
  result.clear();
  for (const Number need : problem_.needs(node)) {
    const auto list = of(need);
    result.insert(result.end(), list.begin(), list.end());
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
}

void Needs::update(Number cls) {
  bool is_first = true;
  for (const Number node : problem_.nodes(cls)) {
    of_node(node, of_one_);
    if (std::exchange(is_first, false)) {
      common_ = of_one_;
    } else {
      merged_.clear();
      std::ranges::set_intersection(common_, of_one_, std::back_inserter(merged_));
      std::swap(common_, merged_);
    }
    if (common_.empty()) break;
  }
  const auto place = std::ranges::lower_bound(common_, cls);
  if (place == common_.end() || *place != cls) common_.insert(place, cls);
  if (common_.size() <= size_[cls]) return;
  if (common_.size() > kLongest) {
    const auto kept = std::ranges::remove_if(common_.begin(), common_.end() - kLongest,
                                             [&](Number other) { return other != cls; });
    common_.erase(kept.begin(), common_.end() - kLongest);
  }
  begin_[cls] = static_cast<Number>(lists_.size());
  size_[cls] = static_cast<Number>(common_.size());
  lists_.insert(lists_.end(), common_.begin(), common_.end());
}

std::vector<bool> Needs::forced() const {
  std::vector<bool> forced(problem_.class_count());
  std::vector<Number> found;
  const auto add = [&](Number cls) {
    if (forced[cls]) return;
    forced[cls] = true;
    found.push_back(cls);
  };
  for (const Number root : problem_.roots) add(root);
  while (!found.empty()) {
    const Number cls = found.back();
    found.pop_back();
    for (const Number need : of(cls)) add(need);
  }
  return forced;
}

}  // namespace flipsat::egraph::dag
