// What the files on permutes share.
#pragma once

#include "hlo/device_partition.h"
#include "hlo/devices.h"

namespace flipsat::rules {

// Is a value the same on every source and its target?
bool is_equal_on_pairs(const hlo::DevicePartition& equality, const hlo::DevicePairs& pairs);

}  // namespace flipsat::rules
