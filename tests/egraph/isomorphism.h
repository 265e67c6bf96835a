// Are two e-graphs the same but for the numbers of their nodes and classes?
#pragma once

#include "egraph/egraph.h"

namespace flipsat::egraph {

// Both rebuilt; operators with equal kind and payload are the same.
bool are_isomorphic(const EGraph& a, const EGraph& b);

}  // namespace flipsat::egraph
