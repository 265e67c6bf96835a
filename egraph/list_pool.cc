#include "egraph/list_pool.h"

#include <algorithm>
#include <stdexcept>

namespace flipsat::egraph {

void ListPool::append(List& to, List& from) {
  if (from.size > 0) {
    if (to.size + from.size > to.capacity) grow(to, to.size + from.size);
    std::copy_n(pool_.begin() + from.offset, from.size, pool_.begin() + to.offset + to.size);
    to.size += from.size;
  }
  release(from);
}

void ListPool::grow(List& list, uint32_t size) {
  List larger;
  larger.capacity = std::bit_ceil(size);
  larger.size = list.size;
  std::vector<uint32_t>& free = free_[std::countr_zero(larger.capacity)];
  if (free.empty()) {
    if (pool_.size() + larger.capacity > UINT32_MAX) {
      throw std::length_error("e-graph: more than 2^32 list entries");
    }
    larger.offset = static_cast<uint32_t>(pool_.size());
    pool_.resize(pool_.size() + larger.capacity);
  } else {
    larger.offset = free.back();
    free.pop_back();
  }
  std::copy_n(pool_.begin() + list.offset, list.size, pool_.begin() + larger.offset);
  release(list);
  list = larger;
}

void ListPool::release(List& list) {
  if (list.capacity > 0) free_[std::countr_zero(list.capacity)].push_back(list.offset);
  list = List();
}

}  // namespace flipsat::egraph
