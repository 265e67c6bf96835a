// Which values are equal on which devices, for a whole module.
//
// Parameters: equal as their sharding or parameter_replication says, or as --assume-replicated
// says. Constants, iota: equal everywhere. partition-id and replica-id and integer arithmetic on
// them: by value on each device (device_values.h). All-reduce and all-gather: within their groups.
// Loops to a fix-point; a loop whose condition differs between devices makes its results differ.
// Calls: through arguments, meeting over all callers. Opaque: all distinct, as are values in
// reducers and in computations that the entry never reaches. Where the number of devices is not
// known, facts are about two devices that stand for any two.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "hlo/call_graph.h"
#include "hlo/device_partition.h"
#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::hlo {

struct UniformityOptions {
  std::unordered_set<std::string> assume_replicated;  // entry parameters, by name
};

class Uniformity {
 public:
  Uniformity(const Module& module, const DeviceCounts& counts, const CallGraph& calls,
             const UniformityOptions& options);

  // What is known of a value; a tuple's fact is the meet of its leaves.
  const DevicePartition& of(InstructionId id) const { return interned_[fact_[id]]; }
  // What is known of one array of a tuple (arrays counted in order, nested ones too).
  const DevicePartition& of_leaf(InstructionId id, size_t leaf) const {
    return interned_[leaf_facts_[leaf_begin_[id] + leaf]];
  }
  size_t leaf_count(InstructionId id) const { return leaf_begin_[id + 1] - leaf_begin_[id]; }

 private:
  std::vector<DevicePartition> interned_;
  std::vector<uint32_t> fact_;        // by instruction, into interned_
  std::vector<uint32_t> leaf_facts_;  // into interned_
  std::vector<size_t> leaf_begin_;    // by instruction, into leaf_facts_
};

// The fact about a result from facts about operands, for operations that treat all devices alike
// (elementwise, data movement, dot, reduce, gather, scatter, sort, ...): their meet. False for
// opcodes for which that does not hold (collectives, ids, rng, custom calls, control flow).
bool is_device_blind(Opcode opcode);

}  // namespace flipsat::hlo
