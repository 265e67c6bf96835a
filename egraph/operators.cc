#include "egraph/operators.h"

namespace flipsat::egraph {

OperatorId Operators::intern(Kind kind, uint32_t payload) {
  const uint64_t key = (uint64_t{kind} << 32) | payload;
  const auto [it, is_new] = ids_.try_emplace(key, size());
  if (is_new) table_.push_back({payload, kind});
  return it->second;
}

}  // namespace flipsat::egraph
