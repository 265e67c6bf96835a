#include "extract/program_state.h"

#include <algorithm>

#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

enum Mark : uint8_t { kUnseen, kOpen, kDone };

}  // namespace

ProgramState::ProgramState(Problem& problem)
    : problem_(problem), chosen_(problem.hlo().graph().node_bound(), egraph::kNoId) {
  const hlo::Module& input = problem.input();
  std::vector<std::vector<hlo::InstructionId>> users = hlo::users_of(input);
  for (hlo::ComputationId region : problem.import().regions) {
    const hlo::Computation& computation = input.computations[region];
    std::vector<Unit>& pinned = pinned_[region];
    for (hlo::InstructionId id : computation.instructions) {
      if (id == computation.root || users[id].empty() || hlo::has_side_effect(input, input[id])) {
        pinned.push_back(id);
      }
    }
  }
}

void ProgramState::choose(ClassId cls, NodeId node) {
  if (chosen_[cls] == node) return;
  chosen_[cls] = node;
  regions_.erase(problem_.hlo().facts_of(cls).region);
}

Unit ProgramState::resolve_class(ClassId cls) {
  if (chosen_[cls] != egraph::kNoId) return problem_.unit(chosen_[cls]);
  const std::vector<Unit>& originals = problem_.originals(cls);
  return originals.empty() ? hlo::kNoId : originals.front();
}

std::vector<Unit> ProgramState::operands(Unit unit) {
  std::vector<Unit> once;
  for (const Problem::Reference& reference : problem_.references(unit)) {
    Unit operand = resolve(reference);
    if (std::find(once.begin(), once.end(), operand) == once.end()) once.push_back(operand);
  }
  return once;
}

// Appends what `root` needs, operands first; false on a cycle or where a class has no definition.
bool ProgramState::reach(Unit root, std::vector<Unit>& order) {
  auto mark = [&](Unit unit) -> uint8_t& {
    if (unit >= mark_.size()) mark_.resize(unit + 1, kUnseen);
    return mark_[unit];
  };
  if (mark(root) == kDone) return true;
  stack_.clear();
  auto enter = [&](Unit unit) {
    mark(unit) = kOpen;
    ++work_;
    stack_.emplace_back(unit, 0);
  };
  enter(root);
  while (!stack_.empty()) {
    auto& [unit, next] = stack_.back();
    if (next == problem_.references(unit).size()) {
      mark(unit) = kDone;
      order.push_back(unit);
      stack_.pop_back();
      continue;
    }
    // Resolving may make a unit, so the references are asked for anew each time.
    Unit operand = resolve(problem_.references(unit)[next++]);
    if (operand == hlo::kNoId) return false;
    uint8_t state = mark(operand);
    if (state == kOpen) return false;
    if (state == kUnseen) enter(operand);
  }
  return true;
}

bool ProgramState::price_region(hlo::ComputationId region, RegionCost& cost) {
  std::vector<Unit> order;
  std::fill(mark_.begin(), mark_.end(), uint8_t{kUnseen});
  hlo::CombinerGraph graph;
  std::vector<hlo::CombinerGraph::Node> nodes, predecessors;
  std::vector<Unit> unit_of;
  const int64_t times = problem_.calls().executions(region);
  cost = {};
  auto add_launch = [&](const Problem::CollectiveUnit& first, int64_t bytes) {
    cost.launch =
        saturating_add(cost.launch, saturating_multiply(problem_.launch_time(first, bytes), times));
    cost.launches = saturating_add(cost.launches, times);
  };
  size_t priced = 0;
  // Roots in text order: where a walk begins decides the combiner's order.
  const Unit result = problem_.input().computations[region].root;
  for (Unit root : pinned_.at(region)) {
    if (root == result) root = resolve(problem_.reference_to(root));
    if (!reach(root, order)) return false;
    for (; priced < order.size(); ++priced) {
      Unit unit = order[priced];
      if (unit >= graph_node_.size()) graph_node_.resize(unit + 1);
      if (problem_.is_new(unit)) ++cost.changed;
      cost.local =
          saturating_add(cost.local, saturating_multiply(problem_.local_cost(unit), times));
      const Problem::CollectiveUnit* collective = problem_.collective(unit);
      if (collective) {
        cost.wire = saturating_add(cost.wire, saturating_multiply(collective->wire, times));
      }
      unit_of.push_back(unit);
      if (collective && collective->candidate) {
        Unit operand = resolve(problem_.references(unit)[0]);
        graph_node_[unit] = graph.add_candidate(graph_node_[operand], *collective->candidate);
        continue;
      }
      nodes.clear();
      predecessors.clear();
      std::span<const Problem::Reference> references = problem_.references(unit);
      for (size_t i = 0; i < references.size(); ++i) {
        auto& list = i < problem_.operand_count(unit) ? nodes : predecessors;
        list.push_back(graph_node_[resolve(references[i])]);
      }
      graph_node_[unit] = graph.add(nodes, predecessors);
      if (collective) add_launch(*collective, collective->bytes);
    }
  }
  std::vector<std::vector<Unit>> batches;
  for (const auto& batch : graph.batches(problem_.limits(region))) {
    int64_t bytes = 0;
    std::vector<Unit>& units = batches.emplace_back();
    for (auto node : batch) {
      units.push_back(unit_of[node]);
      bytes = saturating_add(bytes, problem_.collective(units.back())->bytes);
    }
    add_launch(*problem_.collective(units.front()), bytes);
  }
  // Definitions of the input that are gone count as changed, too.
  const std::vector<hlo::InstructionId>& all = problem_.input().computations[region].instructions;
  if (live_.size() < mark_.size()) live_.resize(mark_.size(), 0);
  for (Unit unit : live_units_[region]) live_[unit] = false;
  for (hlo::InstructionId id : all) {
    cost.changed += mark_[id] != kDone;
  }
  for (Unit unit : order) live_[unit] = true;
  live_units_[region] = std::move(order);
  live_batches_[region] = std::move(batches);
  return true;
}

std::optional<StateCost> ProgramState::cost() {
  RegionCost total;
  for (const auto& [region, pinned] : pinned_) {
    auto it = regions_.find(region);
    if (it == regions_.end()) {
      RegionCost priced;
      stale_.insert(region);
      if (!price_region(region, priced)) return std::nullopt;
      stale_.erase(region);
      it = regions_.emplace(region, priced).first;
    }
    total.local = saturating_add(total.local, it->second.local);
    total.launch = saturating_add(total.launch, it->second.launch);
    total.launches = saturating_add(total.launches, it->second.launches);
    total.wire = saturating_add(total.wire, it->second.wire);
    total.changed += it->second.changed;
  }
  StateCost result;
  result.time = saturating_add(total.local, total.launch);
  result.changed = total.changed;
  result.objective = objective_of(total);
  return result;
}

int64_t ProgramState::objective_of(const RegionCost& cost) const {
  switch (problem_.options().objective) {
    case Objective::kTime:
      return saturating_add(cost.local, cost.launch);
    case Objective::kBytes:
      return cost.wire;
    case Objective::kLaunches:
      return cost.launches;
  }
  return 0;
}

int64_t ProgramState::objective(hlo::ComputationId region) const {
  return objective_of(regions_.at(region));
}

ProgramState::Snapshot ProgramState::snapshot(
    const std::vector<std::pair<ClassId, NodeId>>& classes) const {
  Snapshot result;
  for (const auto& [cls, node] : classes) result.choices.emplace_back(cls, chosen_[cls]);
  result.regions = regions_;
  return result;
}

void ProgramState::restore(const Snapshot& snapshot) {
  for (const auto& [cls, node] : snapshot.choices) {
    if (chosen_[cls] == node) continue;
    chosen_[cls] = node;
    stale_.insert(problem_.hlo().facts_of(cls).region);
  }
  regions_ = snapshot.regions;
}

void ProgramState::settle() {
  for (const auto& [region, pinned] : pinned_) {
    if (!stale_.count(region) && regions_.count(region)) continue;
    RegionCost cost;
    if (price_region(region, cost)) regions_[region] = cost;
  }
  stale_.clear();
}

language::Selection ProgramState::selection() const {
  language::Selection selection;
  for (ClassId cls = 0; cls < chosen_.size(); ++cls) {
    if (chosen_[cls] != egraph::kNoId) selection.chosen.emplace(cls, chosen_[cls]);
  }
  return selection;
}

}  // namespace flipsat::extract
