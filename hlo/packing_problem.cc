#include "hlo/packing_problem.h"

#include <algorithm>

#include "hlo/combined_collective.h"

namespace flipsat::hlo {

PackingProblems::PackingProblems(const Module& module, const CallGraph& calls,
                                 const CombinerOptions& options)
    : module_(module),
      simulation_(module, calls, options),
      keys_(options),
      controls_others_(module.instructions.size()),
      is_read_(module.instructions.size()) {}

void PackingProblems::mark(ComputationId computation) {
  for (InstructionId id : module_.computations[computation].instructions) {
    for (InstructionId operand : module_[id].operands) is_read_[operand] = true;
    for (InstructionId other : module_[id].control_predecessors()) controls_others_[other] = true;
  }
  is_read_[module_.computations[computation].root] = true;
}

// Nullopt for what is launched alone.
std::optional<CombinerGraph::Candidate> PackingProblems::candidate(const Instruction& instruction) {
  std::optional<CombinerGraph::Candidate> candidate = keys_.candidate(module_, instruction);
  if (!candidate) return std::nullopt;
  const CombinerGraph::Limits& limits = simulation_.limits()[candidate->kind];
  if (limits.count < 2 || candidate->bytes > limits.bytes) return std::nullopt;
  return candidate;
}

PackingProblem PackingProblems::problem(ComputationId computation, bool writable,
                                        const std::set<uint32_t>& left_out) {
  PackingProblem problem;
  const std::vector<Launch> launches = simulation_.launches(module_, computation);
  if (!simulation_.combines_in(computation) || launches.empty()) {
    problem.other_launches = static_cast<int64_t>(launches.size());
    return problem;
  }
  mark(computation);
  CombinerGraph graph;
  std::map<Key, uint32_t> keys;
  PackingInstance& instance = problem.instance;
  std::vector<CombinerGraph::Node> node_of(module_.instructions.size());
  std::vector<uint32_t> item_of(module_.instructions.size(), kNoId);
  std::vector<CombinerGraph::Node> operands, predecessors;
  for (InstructionId id : module_.computations[computation].instructions) {
    const Instruction& instruction = module_[id];
    // What nobody reads may be gone by then; it would not be replaced either.
    const bool is_item = !writable || (is_read_[id] && can_be_combined(module_, instruction));
    if (is_item && !controls_others_[id]) {
      auto found = candidate(instruction);
      if (found && left_out.count(found->key) == 0) {
        Key key{found->key, writable ? combined_form(module_, instruction) : ""};
        const auto number = static_cast<uint32_t>(keys.size());
        found->key = keys.emplace(std::move(key), number).first->second;
        node_of[id] = graph.add_candidate(node_of[instruction.operands.front()], *found);
        item_of[id] = static_cast<uint32_t>(problem.items.size());
        problem.items.push_back(id);
        const CombinerGraph::Limits& limits = simulation_.limits()[found->kind];
        instance.items.push_back({found->key, found->bytes});
        instance.limits.resize(keys.size());
        instance.limits[found->key] = {limits.bytes, limits.count};
        continue;
      }
    }
    operands.clear();
    predecessors.clear();
    for (InstructionId operand : instruction.operands) operands.push_back(node_of[operand]);
    for (InstructionId other : instruction.control_predecessors()) {
      predecessors.push_back(node_of[other]);
    }
    node_of[id] = graph.add(operands, predecessors);
  }
  instance.before = graph.reachability();
  for (size_t item = 0; item < problem.items.size(); ++item) instance.before.clear(item, item);
  std::vector<uint32_t> combiner_key(keys.size());
  for (const auto& [key, number] : keys) combiner_key[number] = key.first;
  for (const Launch& launch : launches) {
    std::map<uint32_t, std::vector<uint32_t>> by_key;
    for (InstructionId member : launch.members) {
      const uint32_t item = item_of[member];
      if (item != kNoId) by_key[instance.items[item].key].push_back(item);
    }
    size_t members = 0;
    for (const auto& [key, batch] : by_key) members += batch.size();
    const bool is_mixed = by_key.size() > 1 || members < launch.members.size();
    for (auto& [key, batch] : by_key) {
      if (is_mixed) problem.mixed.insert(combiner_key[key]);
      instance.start.push_back(std::move(batch));
    }
    if (members < launch.members.size()) ++problem.other_launches;
  }
  return problem;
}

}  // namespace flipsat::hlo
