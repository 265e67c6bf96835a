// Which devices are known to hold the same value: a partition of the device set.
//
// Devices in one block hold equal values (for arrays: every element). The finest partition (each
// device alone) is what is known of anything; the coarsest says "replicated". The lattice of facts
// about one value joins towards coarser (two facts both hold, so their blocks connect); combining
// operands meets towards finer.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/devices.h"

namespace flipsat::hlo {

class DevicePartition {
 public:
  static DevicePartition all_equal(int64_t devices);
  static DevicePartition all_distinct(int64_t devices);
  static DevicePartition of_groups(const DeviceGroups& groups, int64_t devices);
  // Devices with equal values share a block.
  static DevicePartition of_values(const std::vector<int64_t>& values);

  int64_t devices() const { return static_cast<int64_t>(block_.size()); }
  // Canonical: blocks are numbered by first member.
  const std::vector<uint32_t>& blocks() const { return block_; }
  bool is_all_equal() const;
  bool is_all_distinct() const;

  bool same_block(int64_t a, int64_t b) const { return block_[a] == block_[b]; }
  // All members of each group share a block: "uniform within the groups".
  bool uniform_within(const DeviceGroups& groups) const;

  // Both facts hold of one value: connected components.
  DevicePartition join(const DevicePartition& other) const;
  // A value computed from two others: equal where both are.
  DevicePartition meet(const DevicePartition& other) const;

  bool operator==(const DevicePartition&) const = default;

 private:
  std::vector<uint32_t> block_;
};

// What collectives do to uniformity (measured: exact). `operand` is what is known of the operand.
// all-reduce: members of one group agree; so do members of different groups whose groups meet the
// same blocks (as multisets; for idempotent reducers as sets).
DevicePartition after_all_reduce(const DevicePartition& operand, const DeviceGroups& groups,
                                 bool idempotent);
// all-gather: the same, place by place.
DevicePartition after_all_gather(const DevicePartition& operand, const DeviceGroups& groups);
// reduce-scatter: as all-reduce, and the same position.
DevicePartition after_reduce_scatter(const DevicePartition& operand, const DeviceGroups& groups,
                                     bool idempotent);
// all-to-all: as all-gather, and the same position.
DevicePartition after_all_to_all(const DevicePartition& operand, const DeviceGroups& groups);
// collective-permute: where the sources agree; devices that are no target receive zeros, all alike.
DevicePartition after_permute(const DevicePartition& operand, const DevicePairs& pairs);

}  // namespace flipsat::hlo
