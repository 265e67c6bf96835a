// Who calls which computation, how often computations run, and trip counts of loops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

struct CallSite {
  InstructionId instruction = kNoId;
  ComputationId caller = kNoId;
  enum class Role : uint8_t {
    kCall,
    kWhileBody,
    kWhileCondition,
    kBranch,
    kApply,
    kFusion,
    kAsync
  };
  Role role = Role::kCall;
};

// Trip count by the backend_config annotation `known_trip_count`, or by the induction variable:
// a tuple element that starts at a constant, is stepped by a constant in the body, and is compared
// with a constant in the condition. Nullopt: unknown.
std::optional<int64_t> trip_count(const Module& module, const Instruction& while_instruction);

class CallGraph {
 public:
  explicit CallGraph(const Module& module);

  const std::vector<CallSite>& call_sites(ComputationId callee) const { return sites_[callee]; }
  // How often a computation runs in one run of the module: product of trip counts and call
  // multiplicity from the entry (unknown trip counts and branches count 1; conditions run once more
  // than bodies but count like them). 0 for computations that the entry never reaches. Saturates.
  int64_t executions(ComputationId computation) const { return executions_[computation]; }
  // A loop around it has an unknown trip count.
  bool has_unknown_trip_count(ComputationId computation) const { return unknown_[computation]; }
  // Reducers, comparators, fusion and async bodies: parts of one instruction, not places where
  // collectives stand.
  bool is_embedded(ComputationId computation) const { return embedded_[computation]; }

 private:
  std::vector<std::vector<CallSite>> sites_;
  std::vector<int64_t> executions_;
  std::vector<bool> unknown_;
  std::vector<bool> embedded_;
};

}  // namespace flipsat::hlo
