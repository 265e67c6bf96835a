// A right-hand side given as a term, compiled to a list of nodes to add, children first.
#pragma once

#include <array>
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

  // Rows that are looked up or added together.
  static constexpr uint32_t kBatch = 64;

  // Takes out rows for which the term is in the row's root class already, on a rebuilt graph; says
  // how many of `count` rows of `width` words are left.
  size_t drop_known(const EGraph& graph, uint32_t* rows, size_t count, uint32_t width) const;

  // Adds the term for each of `count` match rows (at most kBatch) and makes it equal to the row's
  // root class; says for how many it was not. Nodes are added level by level, all rows' inner nodes
  // before any root.
  size_t add_to_roots(EGraph& graph, const uint32_t* rows, size_t count, uint32_t width) const;
  // Of a rule whose right side is code and made `equal`: makes it equal to the row's root class, and
  // keeps the row, from which an explanation can tell what had matched. False if it was equal.
  static bool unite_by_match(EGraph& graph, const uint32_t* row, uint32_t width, ClassId equal);
  // Nodes that one row adds at most.
  size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    bool is_bound = false;  // the operator is that of the row's node at column `op`
    uint32_t op = kNoId;
    uint32_t first_child = 0;
    uint32_t children = 0;
  };
  // One value of each row, one after the other at a stride.
  struct Column {
    const ClassId* at = nullptr;
    size_t stride = 0;
    ClassId operator[](size_t row) const { return at[row * stride]; }
  };
  using Results = std::array<ClassId, kBatch>;  // of one node, by row
  Column column(uint32_t value, const uint32_t* rows, uint32_t width,
                const Results* results) const {
    if (value < columns_) return {rows + value, width};
    return {results[value - columns_].data(), 1};
  }
  // A value is a column of the row, or the result of an earlier node: columns_ + its index.
  uint32_t compile(const Pattern& pattern, const RowLayout& layout);
  size_t drop_batch(const EGraph& graph, uint32_t* rows, size_t count, uint32_t width) const;
  class Batch;

  std::vector<Node> nodes_;
  std::vector<uint32_t> values_;  // children of all nodes
  uint32_t columns_ = 0;
  uint32_t root_ = 0;
};

}  // namespace flipsat::egraph
