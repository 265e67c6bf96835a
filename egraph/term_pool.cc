#include "egraph/term_pool.h"

#include <algorithm>

namespace flipsat::egraph {

TermId TermPool::add(OperatorId op, std::span<const TermId> children) {
  uint64_t hash = (uint64_t{op} + 1) * 0x9e3779b97f4a7c15u;
  for (const TermId child : children) hash = (hash ^ (hash >> 29) ^ child) * 0xd6e8feb86659fd93u;
  std::vector<TermId>& candidates = by_hash_[hash];
  for (const TermId term : candidates) {
    if (this->op(term) == op && std::ranges::equal(this->children(term), children)) return term;
  }
  const TermId added = size();
  const std::vector<TermId> copy(children.begin(), children.end());  // it may be a view of ours
  terms_.push_back(
      {op, static_cast<uint32_t>(children_.size()), static_cast<uint32_t>(copy.size())});
  children_.insert(children_.end(), copy.begin(), copy.end());
  candidates.push_back(added);
  return added;
}

}  // namespace flipsat::egraph
