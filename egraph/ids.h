// The numbers that an e-graph is made of. All are 32 bits and dense from zero, so that tables about
// nodes, classes and operators are plain vectors.
#pragma once

#include <cstdint>

namespace flipsat::egraph {

// An e-node. Ids are given in the order of creation and never change or return; a node that became
// equal to an older one stays readable but is no longer live.
using NodeId = uint32_t;

// An e-class. A new class takes the id of its first node, and any node id is a valid name of the
// class that the node is in: `EGraph::find` gives the canonical name.
using ClassId = uint32_t;

// The first half of an operator: what patterns match on. Keep kinds small, tables are indexed by
// it.
using Kind = uint16_t;

// An interned (kind, payload) pair.
using OperatorId = uint32_t;

// Why a node, a union or an edge is there: a rule's index in its rule list, or a number of the
// client's own.
using Reason = uint32_t;

inline constexpr uint32_t kNoId = UINT32_MAX;
inline constexpr Reason kNoReason = UINT32_MAX;        // the client gave none: a start node
inline constexpr Reason kCongruence = UINT32_MAX - 1;  // equal operators of equal children
inline constexpr Reason kAnalysis = UINT32_MAX - 2;    // done by `Analysis::modify`

}  // namespace flipsat::egraph
