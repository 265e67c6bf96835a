// Terms, each stored once: equal terms have equal ids, and a term's children have smaller ids.
#pragma once

#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "egraph/ids.h"

namespace flipsat::egraph {

using TermId = uint32_t;

class TermPool {
 public:
  // The children must be in the pool.
  TermId add(OperatorId op, std::span<const TermId> children = {});

  OperatorId op(TermId term) const { return terms_[term].op; }
  std::span<const TermId> children(TermId term) const {
    return {children_.data() + terms_[term].first, terms_[term].count};
  }
  uint32_t size() const { return static_cast<uint32_t>(terms_.size()); }

 private:
  struct Node {
    OperatorId op;
    uint32_t first;
    uint32_t count;
  };
  std::vector<Node> terms_;
  std::vector<TermId> children_;
  boost::unordered_flat_map<uint64_t, std::vector<TermId>> by_hash_;  // look-up only
};

}  // namespace flipsat::egraph
