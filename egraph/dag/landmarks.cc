#include "egraph/dag/landmarks.h"

#include <algorithm>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

namespace flipsat::egraph::dag {
namespace {

enum Zone : uint8_t { kBetween, kBuiltForNothing, kBuildsTheRoot };

constexpr double kPartForNew = 0.5;

}  // namespace

Landmarks::Landmarks(const Problem& problem)
    : problem_(problem), users_(problem), left_(problem.cost), waits_for_(problem.node_count()) {
  for (Number node = 0; node < problem.node_count(); ++node) {
    if (problem.needs(node).empty()) leaves_.push_back(node);
  }
  for (Cost& cost : left_) cost *= kUnit;
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
  while (bound() < cutoff && find_landmark()) {
  }
}

// The Lagrangian of "the cheapest nodes so that each landmark has one": each landmark pays a price,
// a node is taken if what it costs is less than the prices of its landmarks, and prices rise where
// a landmark has no node taken and fall where it has several.
void Landmarks::find_prices(Cost cutoff, int steps) {
  std::vector<double>& prices = prices_;
  std::vector<double> best = prices;
  double best_value = 0;
  const double target = static_cast<double>(cutoff) * kUnit;
  double pace = 1;
  int without_gain = 0;
  std::vector<double> reduced(problem_.node_count());
  std::vector<double> slope(landmarks_.size());
  for (int step = 0; step < steps; ++step) {
    for (Number node = 0; node < problem_.node_count(); ++node) {
      reduced[node] = static_cast<double>(problem_.cost[node] * kUnit);
    }
    double value = 0;
    for (size_t i = 0; i < prices.size(); ++i) {
      value += prices[i];
      for (const Number node : landmarks_[i].nodes) reduced[node] -= prices[i];
    }
    for (const double cost : reduced) value += std::min(cost, 0.0);
    double norm = 0;
    for (size_t i = 0; i < prices.size(); ++i) {
      slope[i] = 1;
      for (const Number node : landmarks_[i].nodes) {
        if (left_[node] != kNever && reduced[node] < 0) slope[i] -= 1;
      }
      if (prices[i] == 0 && slope[i] < 0) slope[i] = 0;
      norm += slope[i] * slope[i];
      work_ += 1 + landmarks_[i].nodes.size() / 2;
    }
    if (value > best_value) {
      best_value = value;
      best = prices;
      without_gain = 0;
    } else if (++without_gain == 8) {
      pace /= 2;
      without_gain = 0;
    }
    if (norm == 0) break;
    const double length = pace * std::max(target - value, 1.0) / norm;
    for (size_t i = 0; i < prices.size(); ++i) {
      prices[i] = std::max(0.0, prices[i] + length * slope[i]);
    }
  }
  prices_ = std::move(best);
}

// Each landmark gets its price, or part of it, as far as its nodes have it left.
void Landmarks::share_out(double part) {
  for (Number node = 0; node < problem_.node_count(); ++node) {
    if (left_[node] != kNever) left_[node] = problem_.cost[node] * kUnit;
  }
  bound_ = 0;
  for (size_t i = 0; i < landmarks_.size(); ++i) {
    Landmark& landmark = landmarks_[i];
    landmark.cost = static_cast<Cost>(prices_[i] * part);
    for (const Number node : landmark.nodes) {
      landmark.cost = std::min(landmark.cost, left_[node]);
    }
    for (const Number node : landmark.nodes) {
      if (left_[node] != kNever) left_[node] -= landmark.cost;
    }
    bound_ += landmark.cost;
    work_ += landmark.nodes.size();
  }
  estimate();
}

void Landmarks::forget_doubles() {
  boost::unordered_flat_set<size_t> seen;
  size_t kept = 0;
  for (size_t i = 0; i < landmarks_.size(); ++i) {
    std::ranges::sort(landmarks_[i].nodes);
    const bool is_new =
        seen.insert(boost::hash_range(landmarks_[i].nodes.begin(), landmarks_[i].nodes.end()))
            .second;
    work_ += 3 * landmarks_[i].nodes.size();
    if (!is_new) continue;
    prices_[kept] = prices_[i];
    if (kept != i) landmarks_[kept] = std::move(landmarks_[i]);
    ++kept;
  }
  landmarks_.resize(kept);
  prices_.resize(kept);
}

void Landmarks::rebalance(Cost cutoff, int rounds, int steps) {
  for (const Landmark& landmark : landmarks_) {
    prices_.push_back(static_cast<double>(landmark.cost));
  }
  for (int round = 0; round < rounds && bound() < cutoff; ++round) {
    // With part of the costs free again other landmarks come to light.
    share_out(kPartForNew);
    raise(kNever);
    prices_.resize(landmarks_.size());
    forget_doubles();
    find_prices(cutoff, steps);
    share_out(1);
    raise(cutoff);
    prices_.resize(landmarks_.size());
    for (size_t i = 0; i < landmarks_.size(); ++i) {
      prices_[i] = std::max(prices_[i], static_cast<double>(landmarks_[i].cost));
    }
  }
}

bool Landmarks::tighten(Cost cutoff) {
  for (;;) {
    raise(cutoff);
    if (bound() >= cutoff) return false;
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
