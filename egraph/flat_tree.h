// A decision tree laid out for running: its branches, walks and emits in arrays of their own, so
// that the step that is taken most often, trying a node on a branch, reads one small record.
#pragma once

#include <array>
#include <vector>

#include "egraph/match_tree.h"

namespace flipsat::egraph {

struct FlatTree {
  struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool empty() const { return begin == end; }
  };
  static constexpr uint8_t kNone = 2;
  struct Branch {
    uint32_t op_or_kind;
    // The node's meta word must lie in [meta_low, meta_high): its age. Set for each search.
    uint32_t meta_low;
    uint32_t meta_high;
    bool is_exact;
    bool is_simple;  // at most two children, in their order
    uint8_t arity;
    bool class_is_bound;
    bool has_guards;
    bool is_start;
    uint8_t children;  // to bind or compare, if simple
    uint8_t joined;    // which of them was bound before this node; kNone if none was
    std::array<bool, 2> is_second;
    std::array<bool, 2> is_bound;
    std::array<Place, 2> reg;
    Place cls;
    Place node;
    Range emits;
    Range walks;
    uint32_t index;   // in the tree that this was made from
    uint64_t visits;  // of this search
  };
  struct Walk {
    Access access;
    bool is_repeated;
    Place reg;
    uint32_t via;
    uint32_t kinds;  // that active branches want, in this search
    Range branches;
    // One branch, at which one rule's path ends: most matches are found by such walks.
    bool is_last;
  };
  struct Emit {
    uint32_t rule;
    uint32_t columns;  // first in `places`
    Range old_grounds;
  };

  explicit FlatTree(const MatchTree::Tree& tree);

  std::vector<Branch> branches;  // those of a walk, and of a kind's start, side by side
  std::vector<Walk> walks;
  std::vector<Emit> emits;
  std::vector<uint32_t> branch_walks;  // walks of branches
  std::vector<Place> places;           // columns of emits
  std::vector<uint32_t> grounds;       // of emits
  std::vector<Range> starts;           // by kind: branches that any node of it may begin

 private:
  Range add_branches(const MatchTree::Tree& tree, const std::vector<uint32_t>& indices,
                     bool are_starts);
  bool ends_at(const Branch& branch) const;
};

}  // namespace flipsat::egraph
