// Improving a packing piece by piece.
//
// What a stretch of launches launches can be launched in any other way that keeps its own order: so
// each stretch is a small instance, for which a search is wide that is narrow for the whole.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/packing.h"

namespace flipsat::hlo {

// Tries overlapping stretches, over and over, until none gets shorter or `work` (in the words of
// `beam_search`) is used up. `batches` in launch order, as is what comes back.
std::vector<std::vector<uint32_t>> improve_in_windows(const PackingInstance& instance,
                                                      std::vector<std::vector<uint32_t>> batches,
                                                      int64_t work);

}  // namespace flipsat::hlo
