// What is known of every e-class from birth: shape, region, on which devices its value is equal,
// and for integer scalars the value on each device. Interned, so that a fact is a number.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "hlo/device_partition.h"
#include "language/operator.h"

namespace flipsat::language {

struct Facts {
  uint32_t shape = kNone;    // into FactTable
  uint32_t uniform = kNone;  // a DevicePartition
  uint32_t values = kNone;   // values by device; kNone: not known
  hlo::ComputationId region = hlo::kNoId;
  bool operator==(const Facts&) const = default;
};

class FactTable {
 public:
  explicit FactTable(int64_t devices);

  int64_t devices() const { return devices_; }
  uint32_t intern_shape(const hlo::Shape& shape);
  uint32_t intern_partition(const hlo::DevicePartition& partition);
  uint32_t intern_values(const std::vector<int64_t>& values);

  const hlo::Shape& shape(uint32_t index) const { return shapes_[index]; }
  const hlo::DevicePartition& partition(uint32_t index) const { return partitions_[index]; }
  const std::vector<int64_t>& values(uint32_t index) const { return values_[index]; }

  uint32_t all_equal() const { return all_equal_; }
  uint32_t all_distinct() const { return all_distinct_; }
  uint32_t meet(uint32_t a, uint32_t b);  // a value computed from two
  uint32_t join(uint32_t a, uint32_t b);  // two facts about one value

  // Both facts about one value. Shapes must agree.
  Facts both(const Facts& a, const Facts& b);

 private:
  int64_t devices_;
  std::deque<hlo::Shape> shapes_;  // deques: references stay valid as facts are added
  std::deque<hlo::DevicePartition> partitions_;
  std::deque<std::vector<int64_t>> values_;
  std::map<std::string, uint32_t> shape_index_;
  std::map<std::vector<uint32_t>, uint32_t> partition_index_;
  std::map<std::vector<int64_t>, uint32_t> value_index_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> meets_, joins_;
  uint32_t all_equal_ = 0;
  uint32_t all_distinct_ = 0;
};

}  // namespace flipsat::language
