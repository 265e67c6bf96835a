#include "hlo/combiner_simulation.h"

#include <algorithm>

namespace flipsat::hlo {
namespace {

bool is_launch(const Module& module, const Instruction& instruction) {
  if (is_collective(instruction.opcode)) return true;
  if (instruction.opcode != Opcode::kAsyncStart) return false;
  if (instruction.wrapped && is_collective(*instruction.wrapped)) return true;
  for (ComputationId called : instruction.called_computations()) {
    for (InstructionId id : module.computations[called].instructions) {
      if (is_collective(module[id].opcode)) return true;
    }
  }
  return false;
}

bool is_loop(const CallGraph& calls, ComputationId computation) {
  const std::vector<CallSite>& sites = calls.call_sites(computation);
  return std::any_of(sites.begin(), sites.end(), [](const CallSite& site) {
    return site.role == CallSite::Role::kWhileBody || site.role == CallSite::Role::kWhileCondition;
  });
}

}  // namespace

CombinerSimulation::CombinerSimulation(const Module& module, const CallGraph& calls,
                                       const CombinerOptions& options)
    : keys_(options), limits_(keys_.limits()) {
  for (ComputationId id = 0; id < module.computations.size(); ++id) {
    combines_.push_back(!module.is_scheduled && (options.combine_in_loops || !is_loop(calls, id)));
  }
  // One constrained layout anywhere, and the combiner leaves all collectives of that kind alone.
  for (const Computation& computation : module.computations) {
    for (InstructionId id : computation.instructions) {
      std::optional<CombinerKind> kind = combiner_kind(module[id].opcode);
      if (kind && module[id].bool_attribute(AttributeKey::kConstrainLayout, false)) {
        limits_[static_cast<size_t>(*kind)] = {};
      }
    }
  }
}

std::vector<Launch> CombinerSimulation::launches(const Module& module, ComputationId computation) {
  const std::vector<InstructionId>& list = module.computations[computation].instructions;
  std::vector<Launch> launches;
  if (std::none_of(list.begin(), list.end(),
                   [&](InstructionId id) { return is_launch(module, module[id]); })) {
    return launches;
  }
  node_of_.resize(module.instructions.size());
  controls_others_.assign(module.instructions.size(), false);
  for (InstructionId id : list) {
    for (InstructionId other : module[id].control_predecessors()) controls_others_[other] = true;
  }
  CombinerGraph graph;
  std::vector<CombinerGraph::Node> operands, predecessors;
  for (InstructionId id : list) {
    const Instruction& instruction = module[id];
    if (combines_[computation] && !controls_others_[id]) {
      if (auto candidate = keys_.candidate(module, instruction)) {
        node_of_[id] = graph.add_candidate(node_of_[instruction.operands.front()], *candidate);
        continue;
      }
    }
    operands.clear();
    predecessors.clear();
    for (InstructionId operand : instruction.operands) operands.push_back(node_of_[operand]);
    for (InstructionId other : instruction.control_predecessors()) {
      predecessors.push_back(node_of_[other]);
    }
    node_of_[id] = graph.add(operands, predecessors);
    if (is_launch(module, instruction)) launches.push_back({computation, {id}});
  }
  // Nodes are numbered in the order of the list.
  for (const std::vector<CombinerGraph::Node>& batch : graph.batches(limits_)) {
    Launch& launch = launches.emplace_back();
    launch.computation = computation;
    for (CombinerGraph::Node node : batch) launch.members.push_back(list[node]);
  }
  std::sort(launches.begin(), launches.end(), [&](const Launch& a, const Launch& b) {
    return node_of_[a.members.front()] < node_of_[b.members.front()];
  });
  return launches;
}

}  // namespace flipsat::hlo
