// Lower bounds by landmarks.
//
// A landmark is a set of nodes of which every solution has one; so each solution pays the cheapest.
// Costs are shared out among landmarks that are found one after another (the LM-cut bound of
// planning without delete effects, Helmert and Domshlak 2009; extraction is that problem: classes
// are facts, nodes are actions). The estimate h of a class is the largest of what must be paid on
// the way to it with what is left of the costs: of a node's needs the dearest, of a class's nodes
// the cheapest. While a root has h > 0, the nodes that lead over from what can be built for nothing
// of that way to what builds the root for nothing are a landmark. Cycles need no care: h is a least
// fix-point, and what only supports itself has none.
//
// Which landmark takes how much matters. `rebalance` asks the linear program over all landmarks
// found so far, by subgradient steps on its Lagrangian, shares costs out anew by its prices, and
// looks for landmarks in what is left.
#pragma once

#include <queue>

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

inline constexpr Cost kNever = Cost{1} << 63;  // more than any sum of costs

class Landmarks {
 public:
  explicit Landmarks(const Problem& problem);

  // Costs are shared out in fractions of this.
  static constexpr Cost kUnit = 32;

  // Finds landmarks until there are no more, or the bound is at `cutoff`.
  void raise(Cost cutoff);
  // No solution costs less.
  Cost bound() const { return whole(bound_); }
  // No solution that has this node costs less.
  Cost bound_with(Number node) const { return whole(add(bound_, value(node))); }

  // Gives up nodes that no solution below the cutoff has, and raises the bound over the rest, until
  // nothing changes. True if there may be a solution below.
  bool tighten(Cost cutoff);
  bool is_dropped(Number node) const { return left_[node] == kNever; }
  Number dropped() const { return dropped_; }

  // Better shares, in so many rounds of `steps`; the bound does not fall.
  void rebalance(Cost cutoff, int rounds, int steps);

  struct Landmark {
    Cost cost;  // its share, in units
    std::vector<Number> nodes;
  };
  const std::vector<Landmark>& all() const { return landmarks_; }
  uint64_t work() const { return work_; }

 private:
  static Cost add(Cost a, Cost b) { return (a | b) & kNever ? kNever : a + b; }
  Cost value(Number node) const {
    if (supporter_[node] == kNoId) return problem_.needs(node).empty() ? left_[node] : kNever;
    return add(left_[node], h_[supporter_[node]]);
  }
  // Costs are whole, so a bound may be rounded up.
  static Cost whole(Cost units) { return units >= kNever ? kNever : (units + kUnit - 1) / kUnit; }
  void find_prices(Cost cutoff, int steps);
  void share_out(double part);
  void forget_doubles();
  void estimate();
  void settle(Cost cost, Number cls);
  void lower();
  void offer(Number node);
  Number dearest_root() const;
  bool find_landmark();

  const Problem& problem_;
  const Users users_;
  std::vector<Number> leaves_;
  std::vector<Cost> left_;  // by node, in units: what no landmark has taken; kNever: given up
  std::vector<Cost> h_;     // by class, in units
  std::vector<Number>
      supporter_;  // by node: its dearest need; kNoId: none, or not all can be built
  std::vector<Number> waits_for_;  // by node
  using Entry = std::pair<Cost, Number>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::vector<uint8_t> zone_;  // by class
  std::vector<Number> stack_;
  std::vector<Landmark> landmarks_;
  std::vector<double> prices_;  // by landmark, in units
  Cost bound_ = 0;
  Number dropped_ = 0;
  uint64_t work_ = 0;
};

}  // namespace flipsat::egraph::dag
