// Problems that are part of another: what shares no need with the rest, or what is left when some
// nodes are dropped.
#pragma once

#include "egraph/dag/components.h"

namespace flipsat::egraph::dag {

struct Part {
  Problem problem;
  std::vector<Number> class_of;  // by class of the part: the class of the whole
  std::vector<Number> node_of;   // by node of the part: the node of the whole

  void lift(const Selection& part, Selection& whole) const;
  Selection cut(const Selection& whole) const;  // the other way round
};

std::vector<Part> split(const Problem& problem);

// Without some nodes (by node), nor what cannot be built, or is of no use, without them. Nullopt if
// a root cannot be built any more.
std::optional<Part> without(const Problem& problem, std::vector<bool> is_dropped);

}  // namespace flipsat::egraph::dag
