// Which elements of a value are compared, and on which devices.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::verify {

// Where things change along a dim: the bounds of slices, pads and pieces, and of shards.
class Borders {
 public:
  explicit Borders(int64_t devices);
  // The constants in an instruction's shape and attributes.
  void add(const hlo::Module& module, const hlo::Instruction& instruction);
  // Coordinates worth looking at in a dim of this size, in a fixed order, both ends first.
  std::vector<int64_t> in_dim(int64_t size) const;

 private:
  void note(int64_t value);

  std::vector<int64_t> divisors_;
  std::vector<int64_t> values_;
};

// Flat indices of up to `most` elements: all of them where there are no more, else the corners,
// then the borders of each dim, then random ones. Every prefix is a fair sample.
std::vector<int64_t> sample_elements(const hlo::Dims& dims, const Borders& borders, size_t most,
                                     uint64_t seed);

// An element whose coordinates lie in a window (of an array with dims `whole`) in every dim that
// has a counterpart of the same size there.
int64_t sample_in_window(const hlo::Dims& dims, const hlo::Dims& whole, const hlo::Dims& from,
                         const hlo::Dims& size, uint64_t seed);

// All devices up to 16; beyond that the first and last of the whole, of `groups`' first and last
// group all members (up to 64), and random ones.
std::vector<int64_t> sample_devices(int64_t devices,
                                    const std::vector<hlo::DeviceGroupsRef>& groups, uint64_t seed);

}  // namespace flipsat::verify
