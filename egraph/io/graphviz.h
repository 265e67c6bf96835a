// E-graphs as pictures, for Graphviz: `dot -Tsvg`.
//
// A class is a box around its nodes. An arrow leads from a node to the class that is its child, a
// dashed one from a class to a class that it may be replaced by (a directed edge).
#pragma once

#include <string>
#include <vector>

#include "egraph/io/print.h"

namespace flipsat::egraph {

struct GraphvizOptions {
  // More make no picture that anybody could read. What is left out is said in the picture.
  size_t max_nodes = 300;
  // Where to begin if there are too many: what is nearest to these is shown. None: the oldest.
  std::vector<ClassId> roots;
};

// Wants a rebuilt graph; the same graph gives the same text.
std::string graphviz(const EGraph& graph, const NodeNames& names,
                     const GraphvizOptions& options = {});

}  // namespace flipsat::egraph
