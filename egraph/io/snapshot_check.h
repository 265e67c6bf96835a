// What must hold before `EGraph::check` can be asked: sizes agree, indices are in range, and lists
// end. Only readers of snapshots want it; a graph that grew cannot be otherwise.
#pragma once

#include "egraph/arrays.h"

namespace flipsat::egraph {

// Of arrays whose hash-cons and edges are still empty, and whose operators are there. Names point
// straight at classes. Throws std::runtime_error with what is wrong; linear in the arrays' size.
void check_arrays(const Arrays& arrays);

// Of a history of nodes and classes that have passed the above. What rules wrote about a match is
// known to be made of nodes, no more: what it means the rules alone can say.
void check_history(const Arrays& arrays);

}  // namespace flipsat::egraph
