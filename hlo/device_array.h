// A small integer or pred array, known element by element on every device; and the HLO operations
// on such arrays. What device_values.h computes with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

struct DeviceArray {
  ElementType type = ElementType::kS32;
  Dims dims;
  // Row-major elements, device after device; one device's worth where all devices agree.
  std::vector<int64_t> values;
  bool same_everywhere = true;

  int64_t element_count() const { return product(dims); }
  int64_t at(int64_t device, int64_t element) const {
    return values[same_everywhere ? element : device * element_count() + element];
  }
};

// Arrays larger than this are not computed (a constant may be: it is only looked up).
inline constexpr int64_t kMaxComputedElements = 4096;
inline constexpr int64_t kMaxTableElements = int64_t{1} << 16;
inline constexpr int64_t kMaxDeviceElements = int64_t{1} << 22;  // elements times devices

// True for opcodes that `compute_device_array` may know.
bool is_computable(Opcode opcode);

// The result of an instruction from its operands' arrays; nullopt where it is none of the
// operations, is too large, or HLO leaves a value open.
std::optional<DeviceArray> compute_device_array(const Instruction& instruction,
                                                const std::vector<const DeviceArray*>& operands,
                                                int64_t devices);

// A literal as an array; nullopt if it is elided, too large or not of an integer type.
std::optional<DeviceArray> constant_device_array(const Literal& literal);

}  // namespace flipsat::hlo
