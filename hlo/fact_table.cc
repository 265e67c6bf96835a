#include "hlo/fact_table.h"

#include <algorithm>

namespace flipsat::hlo {
namespace {

uint64_t hash_of(const DevicePartition& partition) {
  uint64_t hash = 14695981039346656037u;
  for (uint32_t block : partition.blocks()) hash = (hash ^ block) * 1099511628211u;
  return hash;
}

uint64_t pair_key(Fact a, Fact b) { return uint64_t{std::min(a, b)} << 32 | std::max(a, b); }

}  // namespace

FactTable::FactTable(int64_t devices)
    : devices_(devices),
      all_equal_(intern(DevicePartition::all_equal(devices))),
      all_distinct_(intern(DevicePartition::all_distinct(devices))) {}

Fact FactTable::intern(DevicePartition partition) {
  uint64_t hash = hash_of(partition);
  auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (facts_[it->second] == partition) return it->second;
  }
  Fact fact = static_cast<Fact>(facts_.size());
  facts_.push_back(std::move(partition));
  by_hash_.emplace(hash, fact);
  return fact;
}

Fact FactTable::meet(Fact a, Fact b) {
  if (a == b || b == all_equal_) return a;
  if (a == all_equal_) return b;
  if (a == all_distinct_ || b == all_distinct_) return all_distinct_;
  auto [it, is_new] = meets_.try_emplace(pair_key(a, b));
  if (is_new) it->second = intern(facts_[a].meet(facts_[b]));
  return it->second;
}

Fact FactTable::join(Fact a, Fact b) {
  if (a == b || b == all_distinct_) return a;
  if (a == all_distinct_) return b;
  if (a == all_equal_ || b == all_equal_) return all_equal_;
  auto [it, is_new] = joins_.try_emplace(pair_key(a, b));
  if (is_new) it->second = intern(facts_[a].join(facts_[b]));
  return it->second;
}

}  // namespace flipsat::hlo
