// Sharding annotations (`sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}`), as far as they
// say which devices hold the same data.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hlo/device_partition.h"

namespace flipsat::hlo {

// Which partitions hold the same tile, for each of the `leaves` arrays of a value whose sharding is
// spelled `text` (braces included; one entry for each leaf of a tuple, or one for all). Whatever is
// not understood, and manual, maximal, unknown or unreduced shardings, say nothing: all distinct.
std::vector<DevicePartition> same_tile_partitions(std::string_view text, size_t leaves,
                                                  int64_t partitions);

// `parameter_replication={true,false}`: one flag a leaf; empty where it is not understood.
std::vector<bool> parse_parameter_replication(std::string_view text, size_t leaves);

}  // namespace flipsat::hlo
