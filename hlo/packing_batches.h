// Launches of a packing as a graph of their own: in which order, and what can still be merged.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/packing_graph.h"

namespace flipsat::hlo {

using PackingBatches = std::vector<std::vector<uint32_t>>;  // items of the instance

// The batches in an order in which each depends on earlier ones only, the first items first where
// that leaves a choice; members ascending. Empty where a batch depends on itself (or there is
// none).
PackingBatches in_launch_order(const PackingPredecessors& predecessors, PackingBatches batches);

// Merges batches of one key, two at a time, as long as limits and dependencies allow it. `batches`
// in launch order; so is what comes back. No two of that can be merged.
PackingBatches merge_batches(const PackingInstance& instance,
                             const PackingPredecessors& predecessors, PackingBatches batches);

}  // namespace flipsat::hlo
