// Directed edges between classes: "`from` may be replaced by `to`", never the other way round.
//
// They are refinement, not equality, and so stand outside the hash-cons and take no part in
// congruence; two classes that may both be replaced by a third are not made equal by it. They are
// one array, sorted by canonical ends when the graph is rebuilt.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "egraph/ids.h"

namespace flipsat::egraph {

struct Edge {
  ClassId from = kNoId;
  ClassId to = kNoId;
  Reason reason = kNoReason;
  uint32_t order = 0;  // how many were added before it
};

class Edges {
 public:
  // Ends are canonical ids; `order` is set here. False if the edge is there already.
  bool add(Edge edge);

  // Renames the ends, drops edges that became loops or doubles (the older stays), and sorts.
  void rebuild(const std::function<ClassId(ClassId)>& find);
  bool is_sorted() const { return sorted_ == edges_.size(); }

  // All edges out of a canonical class, by increasing target; needs a rebuild since the last `add`.
  std::span<const Edge> of(ClassId from) const;
  std::span<const Edge> all() const { return edges_; }
  uint64_t size() const { return edges_.size(); }

 private:
  std::vector<Edge> edges_;
  boost::unordered_flat_set<uint64_t> keys_;  // membership only, never iterated
  size_t sorted_ = 0;
  uint32_t added_ = 0;
};

}  // namespace flipsat::egraph
