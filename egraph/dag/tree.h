// The choice that counts a shared class once for every use, and the order in which it was made.
#pragma once

#include "egraph/dag/components.h"
#include "egraph/wide_cost.h"

namespace flipsat::egraph::dag {

struct Trees {
  Trees(const Problem& problem, const Components& components);
  Selection selection;          // of all classes; without cycles
  std::vector<WideCost> costs;  // by class
  // All classes. A chosen node's children come before its class, and so do all children of nodes
  // outside its component.
  std::vector<Number> order;
};

}  // namespace flipsat::egraph::dag
