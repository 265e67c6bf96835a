// Which definition each value of a program gets: the answer of an extractor, in terms of the
// e-graph.
#pragma once

#include <map>

#include "language/hlo_graph.h"

namespace flipsat::language {

// Classes that are redefined, by canonical id, and the node that defines each. A class that is not
// listed stays as it was: every instruction of the input in it keeps its own definition.
struct Selection {
  std::map<ClassId, NodeId> chosen;
};

}  // namespace flipsat::language
