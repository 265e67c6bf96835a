// Device partitions as small numbers: equal ones share a number, and meets and joins are
// remembered. A module has tens of thousands of values and a handful of different facts.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hlo/device_partition.h"

namespace flipsat::hlo {

using Fact = uint32_t;

class FactTable {
 public:
  explicit FactTable(int64_t devices);

  int64_t devices() const { return devices_; }
  Fact all_equal() const { return all_equal_; }
  Fact all_distinct() const { return all_distinct_; }
  Fact intern(DevicePartition partition);
  const DevicePartition& operator[](Fact fact) const { return facts_[fact]; }

  Fact meet(Fact a, Fact b);
  Fact join(Fact a, Fact b);

  std::vector<DevicePartition> take() { return std::move(facts_); }

 private:
  int64_t devices_;
  std::vector<DevicePartition> facts_;
  std::unordered_multimap<uint64_t, Fact> by_hash_;
  std::unordered_map<uint64_t, Fact> meets_, joins_;  // by the pair, smaller first
  Fact all_equal_;
  Fact all_distinct_;
};

}  // namespace flipsat::hlo
