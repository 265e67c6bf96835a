// A smaller problem with the same least cost.
//
//   - Nodes that cannot be built, need their own class, or that no root reaches are dropped.
//   - A class that every solution has ("forced") becomes a root, and whoever needs it is rid of
//     that need, unless the class might need him in turn.
//   - A need that comes with another need anyway is dropped.
//   - A node is dropped if another of its class costs no more and needs no more, where what the
//     first needs in the end, and the cheapest trees for the rest, count as had.
//   - A class of one node joins its users where that node costs nothing, or all users are of one
//     class (which uses one of them).
//   - Forced classes of one node that needs nothing are paid and gone.
#pragma once

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

struct Reduced {
  Problem problem;
  Cost paid = 0;                 // to be added to a cost of `problem`
  std::vector<Number> class_of;  // by class of `problem`: the class that it was
  std::vector<Number> node_of;   // by node of `problem`: the node that it was
  // Nodes of classes that are gone; not all of them are in use.
  std::vector<Number> settled;

  // Adds to `selection`, which is one of the larger problem.
  void lift(const Selection& reduced, const Problem& from, Selection& selection) const;
};

// All nodes can be built. `work` grows by what was looked at.
Reduced reduce(const Problem& problem, uint64_t& work);

}  // namespace flipsat::egraph::dag
