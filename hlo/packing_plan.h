// Which collectives of a module to launch together, computation by computation.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/call_graph.h"
#include "hlo/combiner.h"
#include "hlo/module.h"

namespace flipsat::hlo {

struct PackingPlan {
  // Two or more members each, in text order; to be written by `combine`.
  std::vector<std::vector<InstructionId>> batches;
  // Launches of the whole module: by the combiner's walk, by this plan, and no fewer than that by
  // any choice of what to launch together.
  int64_t walked = 0;
  int64_t planned = 0;
  int64_t bound = 0;
};

// `work` in all, see `pack`; shared out over the computations by their numbers of collectives. A
// computation in which a plan would launch more than the walk (it can write less) has no batches.
PackingPlan plan_packing(const Module& module, const CallGraph& calls,
                         const CombinerOptions& options, int64_t work);

}  // namespace flipsat::hlo
