// What both extractors start from: the tree extraction with the order in which it settled classes.
#pragma once

#include <vector>

#include "egraph/extract.h"

namespace flipsat::egraph {

struct TreeExtraction {
  std::vector<Cost> own;        // by node: the client's cost, asked once; stale ones kUnusable
  std::vector<Choice> choices;  // by class
  std::vector<uint32_t> rank;   // by class: a choice's children have lower ranks; kNoId: not had
};

TreeExtraction settle_trees(const EGraph& graph, const CostFunction& cost,
                            const ExtractOptions& options);

}  // namespace flipsat::egraph
