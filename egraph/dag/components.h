// How the classes of a problem hang together.
#pragma once

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

// Strongly connected components of "a node of this class needs that class".
struct Components {
  explicit Components(const Problem& problem);
  // A class that is alone may still need itself.
  bool is_alone(Number cls) const { return sizes[of[cls]] == 1; }
  std::span<const Number> members(Number component) const {
    return {order.data() + first[component], sizes[component]};
  }
  Number count() const { return static_cast<Number>(sizes.size()); }

  std::vector<Number> of;     // by class
  std::vector<Number> sizes;  // by component
  std::vector<Number> first;  // by component: where it begins in `order`
  std::vector<Number> order;  // classes, component by component: what is needed comes first
};

// Classes of one part share no need with those of another; by class, the part's number.
struct Parts {
  explicit Parts(const Problem& problem);
  std::vector<Number> of;
  std::vector<std::vector<Number>> members;  // rising
};

}  // namespace flipsat::egraph::dag
