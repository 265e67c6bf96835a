// A choice in a few passes, by two ideas of technology mapping.
//
// Flow: a class's cost is split among its users, so that shared things look as cheap as they are.
// How many users it has is first taken to be the number of classes that could use it, then drawn
// towards what the choices so made say. Exact improvement: a class changes its choice whenever
// that lowers the true cost of the whole (sharing.h).
#pragma once

#include "egraph/dag/tree.h"

namespace flipsat::egraph::dag {

// Never dearer than the tree choice. A node for every class; without cycles.
Selection choose_greedily(const Problem& problem, const Components& components, Trees trees);

}  // namespace flipsat::egraph::dag
