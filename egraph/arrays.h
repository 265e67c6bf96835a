// What an e-graph is in memory: plain arrays by node id, which `EGraph` works on.
//
// A node is 16 bytes in one array (operator, up to two children, the epoch of its last change) and
// 20 bytes in others: a word of the union-find, a link to the next node of its class, a link for
// each child to the next node that has the same child, and a mask of kinds where it names a class.
// With its slot in the hash-cons that is about 45 bytes; there is no list with a capacity, and two
// classes become one by swapping links.
//
//   words         of a node that names a class: kRoot and the first entry of its list of parents;
//                 of any other: an older name (union-find)
//   class links   a circle through the nodes of a class; its name is on it, even when stale
//   entries       "node n has this class as child i", 2n + i; the list of a class's parents is
//                 linked through them
//   wide nodes    of more than two children have these in a pool, and entries behind kWideEntry
//
// The arrays can be copied as a whole: that is a checkpoint.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "egraph/edges.h"
#include "egraph/grow_array.h"
#include "egraph/hash_cons.h"
#include "egraph/history.h"
#include "egraph/ids.h"
#include "egraph/operators.h"

namespace flipsat::egraph {

// "A node has a class as its child at a position."
using Entry = uint32_t;

struct NodeRecord {
  static constexpr uint32_t kWide = 3;
  static constexpr uint32_t kStale = 4;
  static constexpr uint32_t kEpochShift = 3;

  OperatorId op;
  uint32_t first;   // child, or of a wide node its place in the pool; kNoId where there is none
  uint32_t second;  // child, or of a wide node how many
  uint32_t meta;    // 0, 1, 2 children or kWide; kStale; the epoch of the last change

  uint32_t arity_code() const { return meta & 3; }
  bool is_wide() const { return arity_code() == kWide; }
  bool is_live() const { return (meta & kStale) == 0; }
  uint32_t epoch() const { return meta >> kEpochShift; }
};

struct ClassLink {
  NodeId next;     // in the class's circle
  uint32_t kinds;  // of a class's name: bit (kind mod 32) for each kind among the nodes
};

// A class that has become part of another and whose nodes and parents wait for `rebuild`.
struct Absorbed {
  ClassId name;
  Entry parents;
  bool has_nodes;  // false: its nodes have gone over, the parents wait for one more name
};

struct Arrays {
  static constexpr uint32_t kRoot = 1u << 31;
  static constexpr Entry kNoEntry = kRoot - 1;
  static constexpr Entry kWideEntry = 1u << 30;
  static constexpr uint32_t kMaxNodes = HashCons::kMaxIds;
  static constexpr uint32_t kBlockShift = 9;  // nodes of a block share a note of the last change

  Operators operators_;
  std::vector<uint8_t> is_unordered_;  // by kind, as far as declared
  GrowArray<NodeRecord> records_;
  GrowArray<uint32_t> words_;
  GrowArray<ClassLink> class_links_;
  GrowArray<std::array<Entry, 2>> parent_links_;
  GrowArray<uint32_t> wide_children_;
  GrowArray<Entry> wide_links_;
  GrowArray<NodeId> wide_owners_;
  HashCons table_;
  GrowArray<uint32_t> block_epochs_;
  Edges edges_;
  History history_;

  GrowArray<Absorbed> absorbed_;
  GrowArray<ClassId> changed_data_;  // classes whose parents want their data made again
  GrowArray<ClassId> to_modify_;
  GrowArray<uint64_t> untidy_;  // a bit for each class whose lists may hold stale nodes

  uint64_t live_nodes_ = 0;
  uint64_t live_classes_ = 0;
  uint64_t untidy_nodes_ = 0;  // retired since the lists were tidied
  uint64_t changes_ = 0;
  uint32_t epoch_ = 1;
  Reason origin_ = kNoReason;
  bool given_data_ = false;  // some datum came from the client
  bool merged_since_rebuild_ = false;
};

}  // namespace flipsat::egraph
