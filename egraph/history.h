// What explanations are made of: how each node was first written, and each union in its order.
//
// Off unless asked for. A union joins two nodes that had different classes, so that the unions form
// a forest: between two equal nodes there is one way through it, and what stood on that way when
// they became equal is all that stands on it now.
#pragma once

#include <span>

#include "egraph/grow_array.h"
#include "egraph/ids.h"

namespace flipsat::egraph {

// A union of the classes of two nodes.
struct Union {
  NodeId a = kNoId;
  NodeId b = kNoId;
  Reason reason = kNoReason;
  uint32_t match = kNoId;  // where a rule's match is written, see `History::matches`
};

struct History {
  bool is_kept = false;
  GrowArray<Reason> origins;  // by node: the origin in force when it was added
  // By node: its children as they were named when it was added, which are nodes older than it.
  GrowArray<uint32_t> children;
  GrowArray<uint32_t> first_child;  // by node, one more at the end
  GrowArray<Union> unions;
  // Match rows of rules that made a union: the row as wide as the rule's layout, the nodes of its
  // patterns, then a node for each inner node of the right side.
  GrowArray<uint32_t> matches;

  std::span<const uint32_t> written(NodeId node) const {
    return {children.data() + first_child[node], children.data() + first_child[node + 1]};
  }
};

}  // namespace flipsat::egraph
