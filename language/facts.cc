#include "language/facts.h"

#include <algorithm>
#include <cassert>

namespace flipsat::language {

FactTable::FactTable(int64_t devices) : devices_(devices) {
  all_distinct_ = intern_partition(hlo::DevicePartition::all_distinct(devices));
  all_equal_ = intern_partition(hlo::DevicePartition::all_equal(devices));
}

uint32_t FactTable::intern_shape(const hlo::Shape& shape) {
  auto [it, is_new] =
      shape_index_.try_emplace(to_string(shape), static_cast<uint32_t>(shapes_.size()));
  if (is_new) shapes_.push_back(shape);
  return it->second;
}

uint32_t FactTable::intern_partition(const hlo::DevicePartition& partition) {
  auto [it, is_new] =
      partition_index_.try_emplace(partition.blocks(), static_cast<uint32_t>(partitions_.size()));
  if (is_new) partitions_.push_back(partition);
  return it->second;
}

uint32_t FactTable::intern_values(const std::vector<int64_t>& values) {
  auto [it, is_new] = value_index_.try_emplace(values, static_cast<uint32_t>(values_.size()));
  if (is_new) values_.push_back(values);
  return it->second;
}

uint32_t FactTable::meet(uint32_t a, uint32_t b) {
  if (a == b || b == all_equal_) return a;
  if (a == all_equal_) return b;
  if (a == all_distinct_ || b == all_distinct_) return all_distinct_;
  auto key = std::minmax(a, b);
  if (auto it = meets_.find(key); it != meets_.end()) return it->second;
  uint32_t result = intern_partition(partitions_[a].meet(partitions_[b]));
  meets_.emplace(key, result);
  return result;
}

uint32_t FactTable::join(uint32_t a, uint32_t b) {
  if (a == b || b == all_distinct_) return a;
  if (a == all_distinct_) return b;
  if (a == all_equal_ || b == all_equal_) return all_equal_;
  auto key = std::minmax(a, b);
  if (auto it = joins_.find(key); it != joins_.end()) return it->second;
  uint32_t result = intern_partition(partitions_[a].join(partitions_[b]));
  joins_.emplace(key, result);
  return result;
}

Facts FactTable::both(const Facts& a, const Facts& b) {
  assert(a.shape == b.shape && a.region == b.region);
  Facts result = a;
  result.uniform = join(a.uniform, b.uniform);
  if (result.values == kNone) result.values = b.values;
  return result;
}

}  // namespace flipsat::language
