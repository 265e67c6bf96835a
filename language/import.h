// A module into an e-graph: one class for each value of the computations that hold collectives.
//
// Near a collective, operations come in as algebra; everything else is opaque: a node of its own
// with real operands, so that its operands can be rewritten, and equal to nothing but itself. A
// `copy` is its operand's class.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hlo/call_graph.h"
#include "hlo/device_values.h"
#include "hlo/uniformity.h"
#include "language/hlo_graph.h"

namespace flipsat::language {

struct ModuleFacts {
  const hlo::DeviceCounts& counts;
  const hlo::CallGraph& calls;
  const hlo::Uniformity& uniformity;
  hlo::DeviceValues& values;
};

struct OpaqueCollective {
  hlo::InstructionId instruction = hlo::kNoId;
  std::string reason;
};

struct Import {
  // By instruction; egraph::kNoId for instructions of computations that were left out.
  std::vector<ClassId> class_of;
  // By instruction: the node it came in as; egraph::kNoId for copies and what was left out.
  std::vector<NodeId> node_of;
  std::vector<hlo::ComputationId> regions;  // computations that came in, in text order
  std::vector<OpaqueCollective> opaque_collectives;
  // How attributes that an operator keeps as steering text were written, by that text.
  std::map<std::string, std::vector<hlo::Attribute>> steering;
};

// `near_collectives`: which instructions come in as algebra by id (extract/program_cost.h has the
// rule).
Import import_module(const hlo::Module& module, const ModuleFacts& facts,
                     const std::vector<bool>& near_collectives, HloGraph& hlo);

// Why an instruction is opaque to the algebra, or empty if it is not: "control dependency",
// "constrained layout", ... A fact of the instruction itself, not of where it stands.
std::string opaque_reason(const hlo::Module& module, const hlo::Instruction& instruction,
                          const hlo::DeviceCounts& counts, bool has_control_successor);

}  // namespace flipsat::language
