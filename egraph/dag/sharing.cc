#include "egraph/dag/sharing.h"

#include <algorithm>

namespace flipsat::egraph::dag {

Sharing::Sharing(const Problem& problem, const Components& components, Selection selection)
    : problem_(problem),
      components_(components),
      selection_(std::move(selection)),
      users_(problem.class_count()),
      seen_(problem.class_count()) {
  for (const Number root : problem.roots) hold(root);
  commit();
}

void Sharing::change_users(Number cls, int32_t change) {
  log_.push_back({cls, kNoId, change});
  const Number before = users_[cls];
  users_[cls] += static_cast<Number>(change);
  if (before != 0 && users_[cls] != 0) return;
  const Cost own = problem_.cost[selection_[cls]];
  cost_ = change > 0 ? cost_ + own : cost_ - own;
  stack_.push_back(cls);
}

// Counts a user of what the node needs in (+1) or out (-1), and so on below.
bool Sharing::count(Number node, int32_t change, size_t limit) {
  const size_t most = log_.size() + std::min(limit, SIZE_MAX / 2);
  for (const Number need : problem_.needs(node)) change_users(need, change);
  while (!stack_.empty() && log_.size() < most) {
    const Number cls = stack_.back();
    stack_.pop_back();
    for (const Number need : problem_.needs(selection_[cls])) change_users(need, change);
  }
  const bool is_done = stack_.empty();
  stack_.clear();
  return is_done;
}

void Sharing::hold(Number cls) {
  change_users(cls, +1);
  if (stack_.empty()) return;
  stack_.clear();
  count(selection_[cls], +1, SIZE_MAX);
}

void Sharing::let_go(Number cls) {
  change_users(cls, -1);
  if (stack_.empty()) return;
  stack_.clear();
  count(selection_[cls], -1, SIZE_MAX);
}

bool Sharing::goes_round(Number node) {
  const Number cls = problem_.owner[node];
  const Number component = components_.of[cls];
  if (components_.sizes[component] == 1) return false;
  ++searches_;
  stack_.push_back(node);
  while (!stack_.empty()) {
    const Number at = stack_.back();
    stack_.pop_back();
    for (const Number need : problem_.needs(at)) {
      if (need == cls) {
        stack_.clear();
        return true;
      }
      if (components_.of[need] != component || seen_[need] == searches_) continue;
      seen_[need] = searches_;
      stack_.push_back(selection_[need]);
      ++work_;
    }
  }
  return false;
}

bool Sharing::take(Number node, size_t limit) {
  const Number cls = problem_.owner[node];
  const Number old = selection_[cls];
  if (node == old || goes_round(node)) return false;
  const size_t begin = mark();
  if (users_[cls] != 0) {
    cost_ += problem_.cost[node];
    // In before out: what both need stays in use and is not walked through.
    const bool is_in = count(node, +1, limit);
    const bool is_done = is_in && count(old, -1, limit);
    cost_ -= problem_.cost[old];
    work_ += log_.size() - begin + 1;
    if (!is_done) {
      cost_ += problem_.cost[old];
      cost_ -= problem_.cost[node];
      undo(begin);
      return false;
    }
  }
  log_.push_back({cls, old, 0});
  selection_[cls] = node;
  return true;
}

bool Sharing::improve(Number node, size_t limit) {
  const Cost before = cost_;
  const size_t begin = mark();
  if (!take(node, limit)) return false;
  if (cost_ < before) return true;
  undo(begin);
  return false;
}

void Sharing::undo(size_t mark) {
  work_ += log_.size() - mark;
  while (log_.size() > mark) {
    const Change change = log_.back();
    log_.pop_back();
    if (change.old_node != kNoId) {
      if (users_[change.cls] != 0) {
        cost_ += problem_.cost[change.old_node];
        cost_ -= problem_.cost[selection_[change.cls]];
      }
      selection_[change.cls] = change.old_node;
      continue;
    }
    const Number before = users_[change.cls];
    users_[change.cls] -= static_cast<Number>(change.users);
    if (before != 0 && users_[change.cls] != 0) continue;
    const Cost own = problem_.cost[selection_[change.cls]];
    cost_ = before == 0 ? cost_ + own : cost_ - own;
  }
}

}  // namespace flipsat::egraph::dag
