// What the compiler's collective combiners would make of a module: an exact simulation, to the
// letter of xla/service/collective_combiner_utils.h (walk order, keys, caps, the stop at the first
// dependent operation), without changing the module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/call_graph.h"
#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::hlo {

struct CombinerOptions {
  std::string name = "neuron";
  struct Limits {
    bool enabled = true;
    int64_t max_bytes = 0;  // of results: gather output, scatter shard
    int64_t max_count = 0;
    bool operator==(const Limits&) const = default;
  };
  Limits all_gather, all_reduce, reduce_scatter, collective_permute;
  bool by_dim = true;                    // gathers and scatters of different dims stay apart
  bool combine_different_types = false;  // gathers of different element types may join
  bool combine_in_loops = true;
  bool operator==(const CombinerOptions&) const = default;
};

// neuron (1 GiB, 256, by dim, by type), xla-gpu (31,457,287 B, 2,048, any dim, mixed types),
// xla-cpu (all-reduce only), none. Throws std::invalid_argument for any other name. Files:
// extract/combiner_file.h.
CombinerOptions combiner_preset(const std::string& name);

// One thing that is launched: a collective on its own or a batch that the combiner merges.
struct Launch {
  ComputationId computation = kNoId;
  std::vector<InstructionId> members;  // in walk order; the opcode, groups are those of the first
};

// Launches of a module in order of computation, then of first member in text order. Collectives
// that the combiner does not take (no key, tuple-shaped, too large, asynchronous, scheduled module)
// are launches of their own. Collectives in embedded computations are left out.
std::vector<Launch> simulate_combiner(const Module& module, const DeviceCounts& counts,
                                      const CallGraph& calls, const CombinerOptions& options);

}  // namespace flipsat::hlo
