#include "egraph/dag/landmarks.h"

#include <algorithm>

namespace flipsat::egraph::dag {
namespace {

enum Zone : uint8_t { kBetween, kBuiltForNothing, kBuildsTheRoot };

}  // namespace

Landmarks::Landmarks(const Problem& problem)
    : problem_(problem), users_(problem), left_(problem.cost), waits_for_(problem.node_count()) {
  for (Number node = 0; node < problem.node_count(); ++node) {
    if (problem.needs(node).empty()) leaves_.push_back(node);
  }
  estimate();
}

void Landmarks::offer(Number node) {
  const Cost cost = value(node);
  if (cost < h_[problem_.owner[node]]) queue_.push({cost, problem_.owner[node]});
}

void Landmarks::estimate() {
  h_.assign(problem_.class_count(), kNever);
  supporter_.assign(problem_.node_count(), kNoId);
  for (Number node = 0; node < problem_.node_count(); ++node) {
    waits_for_[node] = static_cast<Number>(problem_.needs(node).size());
  }
  for (const Number leaf : leaves_) offer(leaf);
  while (!queue_.empty()) {
    const auto [cost, cls] = queue_.top();
    queue_.pop();
    if (cost >= h_[cls]) continue;
    h_[cls] = cost;
    for (const Number user : users_.of(cls)) {
      if (--waits_for_[user] > 0) continue;
      supporter_[user] = cls;  // settled last, hence the dearest
      offer(user);
    }
  }
  work_ += 2 * problem_.size();
}

// After some nodes got cheaper and were offered.
void Landmarks::lower() {
  while (!queue_.empty()) {
    const auto [cost, cls] = queue_.top();
    queue_.pop();
    if (cost >= h_[cls]) continue;
    h_[cls] = cost;
    for (const Number user : users_.of(cls)) {
      ++work_;
      if (supporter_[user] != cls) continue;
      for (const Number need : problem_.needs(user)) {
        if (h_[need] > h_[supporter_[user]]) supporter_[user] = need;
      }
      offer(user);
    }
  }
}

Number Landmarks::dearest_root() const {
  return *std::ranges::max_element(problem_.roots, {}, [&](Number root) { return h_[root]; });
}

bool Landmarks::find_landmark() {
  const Number root = dearest_root();
  if (h_[root] == 0) return false;
  if (h_[root] == kNever) {
    bound_ = kNever;
    return false;
  }
  zone_.assign(problem_.class_count(), kBetween);
  const auto enter = [&](Number cls, Zone zone) {
    if (zone_[cls] != kBetween) return;
    zone_[cls] = zone;
    stack_.push_back(cls);
  };
  enter(root, kBuildsTheRoot);
  while (!stack_.empty()) {
    const Number cls = stack_.back();
    stack_.pop_back();
    for (const Number node : problem_.nodes(cls)) {
      if (left_[node] == 0 && supporter_[node] != kNoId) enter(supporter_[node], kBuildsTheRoot);
    }
    work_ += problem_.node_count(cls);
  }
  Landmark landmark{kNever, {}};
  const auto lead_over = [&](Number node) {
    if (left_[node] == kNever) return;
    const Number cls = problem_.owner[node];
    if (zone_[cls] != kBuildsTheRoot) return enter(cls, kBuiltForNothing);
    landmark.cost = std::min(landmark.cost, left_[node]);
    landmark.nodes.push_back(node);
  };
  for (const Number leaf : leaves_) lead_over(leaf);
  while (!stack_.empty()) {
    const Number cls = stack_.back();
    stack_.pop_back();
    for (const Number user : users_.of(cls)) {
      if (supporter_[user] == cls) lead_over(user);
    }
    work_ += users_.of(cls).size();
  }
  work_ += problem_.class_count() / 8 + leaves_.size();
  for (const Number node : landmark.nodes) left_[node] -= landmark.cost;
  bound_ += landmark.cost;
  for (const Number node : landmark.nodes) offer(node);
  landmarks_.push_back(std::move(landmark));
  lower();
  return true;
}

void Landmarks::raise(Cost cutoff) {
  while (bound_ < cutoff && find_landmark()) {
  }
}

bool Landmarks::tighten(Cost cutoff) {
  for (;;) {
    raise(cutoff);
    if (bound_ >= cutoff) return false;
    Number dropped = 0;
    for (Number node = 0; node < problem_.node_count(); ++node) {
      if (left_[node] == kNever || bound_with(node) < cutoff) continue;
      left_[node] = kNever;
      ++dropped;
    }
    dropped_ += dropped;
    work_ += problem_.node_count();
    if (dropped == 0) return true;
    estimate();
  }
}

}  // namespace flipsat::egraph::dag
