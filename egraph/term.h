// A right-hand side given as a term, compiled to a list of nodes to add, children first.
#pragma once

#include <vector>

#include "egraph/egraph.h"
#include "egraph/match.h"
#include "egraph/pattern.h"

namespace flipsat::egraph {

class Term {
 public:
  Term() = default;
  // Throws std::logic_error if the pattern uses what the left side does not bind, or has a node
  // that is neither `exact` nor `same`.
  Term(const Pattern& pattern, const RowLayout& layout);

  // Adds the term for a match row and makes it equal to the row's root class; false if it was.
  bool add_to_root(EGraph& graph, const uint32_t* row, std::vector<ClassId>& scratch) const;

 private:
  struct Node {
    bool is_bound = false;  // the operator is that of the row's node at column `op`
    uint32_t op = kNoId;
    uint32_t first_child = 0;
    uint32_t children = 0;
  };
  // A value is a column of the row, or the result of an earlier node: width + its index.
  uint32_t compile(const Pattern& pattern, const RowLayout& layout);

  std::vector<Node> nodes_;
  std::vector<uint32_t> values_;  // children of all nodes
  uint32_t width_ = 0;
  uint32_t root_ = 0;
};

}  // namespace flipsat::egraph
