// A fixed order of classes along which choices can be made without going round in a circle.
#pragma once

#include <vector>

#include "egraph/egraph.h"

namespace flipsat::egraph {

// Strongly connected components of "a node of this class has that class as a child" (and of edges,
// where they are followed), what is needed before what needs it; inside a component by `rank`.
// Classes of rank kNoId are left out.
std::vector<ClassId> order_of_classes(const EGraph& graph, const std::vector<uint32_t>& rank,
                                      bool follow_edges);

}  // namespace flipsat::egraph
