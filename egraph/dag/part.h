// Cutting a problem into parts that share no need.
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

}  // namespace flipsat::egraph::dag
