// Operators: 32-bit ids of interned (kind, payload) pairs.
//
// Patterns match on the kind. The payload is an index into whatever the client keeps (attributes,
// names, numbers); the engine only compares it.
#pragma once

#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "egraph/ids.h"

namespace flipsat::egraph {

class Operators {
 public:
  OperatorId intern(Kind kind, uint32_t payload);

  Kind kind(OperatorId op) const { return table_[op].kind; }
  uint32_t payload(OperatorId op) const { return table_[op].payload; }
  uint32_t size() const { return static_cast<uint32_t>(table_.size()); }

 private:
  struct Operator {
    uint32_t payload;
    Kind kind;
  };
  std::vector<Operator> table_;
  boost::unordered_flat_map<uint64_t, OperatorId> ids_;  // lookup only, never iterated
};

}  // namespace flipsat::egraph
