#include "extract/problem.h"

#include <algorithm>

#include "extract/collective.h"
#include "extract/machine_model.h"
#include "language/export.h"

namespace flipsat::extract {
namespace {

bool is_loop(const hlo::CallGraph& calls, hlo::ComputationId computation) {
  const auto& sites = calls.call_sites(computation);
  return std::any_of(sites.begin(), sites.end(), [](const hlo::CallSite& site) {
    return site.role == hlo::CallSite::Role::kWhileBody ||
           site.role == hlo::CallSite::Role::kWhileCondition;
  });
}

}  // namespace

Problem::Problem(const hlo::Module& input, const language::Import& import, language::HloGraph& hlo,
                 const CostOptions& options, const hlo::CallGraph& calls,
                 const std::vector<bool>& surroundings)
    : input_(input),
      import_(import),
      hlo_(hlo),
      options_(options),
      calls_(calls),
      surroundings_(surroundings),
      machine_(machine_of(options)),
      scratch_(input),
      emitter_(input, import, hlo),
      groupings_(machine_, hlo.counts()),
      keys_(options.combiner),
      originals_(language::originals_by_class(input, import, hlo)),
      originals_of_(hlo.graph().node_bound()),
      unit_of_node_(hlo.graph().node_bound(), hlo::kNoId),
      controls_others_(input.instructions.size(), false),
      local_(input.instructions.size(), -1),
      collective_of_(input.instructions.size(), kNotAsked),
      limits_(keys_.limits()),
      no_limits_(limits_.size()) {
  for (const auto& [cls, units] : originals_) originals_of_[cls] = &units;
  for (Unit id = 0; id < import.node_of.size(); ++id) {
    NodeId node = import.node_of[id];
    if (node != egraph::kNoId && unit_of_node_[node] == hlo::kNoId) unit_of_node_[node] = id;
  }
  for (const hlo::Instruction& instruction : input.instructions) {
    for (hlo::InstructionId other : instruction.control_predecessors()) {
      controls_others_[other] = true;
    }
    auto kind = hlo::combiner_kind(instruction.opcode);
    if (kind && instruction.bool_attribute(hlo::AttributeKey::kConstrainLayout, false)) {
      limits_[static_cast<size_t>(*kind)] = {};
    }
  }
  references_of_.resize(input.instructions.size());
  for (hlo::ComputationId region : import.regions) {
    for (hlo::InstructionId id : input.computations[region].instructions) add_references(id);
  }
  for (hlo::ComputationId id = 0; id < input.computations.size(); ++id) {
    combines_.push_back(!input.is_scheduled &&
                        (options.combiner.combine_in_loops || !is_loop(calls, id)));
  }
}

const std::vector<Unit>& Problem::originals(ClassId cls) const {
  static const std::vector<Unit> kNone;
  const std::vector<Unit>* originals = originals_of_[hlo_.graph().find(cls)];
  return originals ? *originals : kNone;
}

std::vector<NodeId> Problem::definitions(ClassId cls) {
  const egraph::EGraph& graph = hlo_.graph();
  std::vector<ClassId> classes{graph.find(cls)};
  std::vector<NodeId> nodes;
  for (size_t i = 0; i < classes.size(); ++i) {
    const auto of_class = graph.nodes(classes[i]);
    nodes.insert(nodes.end(), of_class.begin(), of_class.end());
    for (const egraph::Edge& edge : graph.edges(classes[i])) {
      if (std::ranges::find(classes, edge.to) == classes.end()) classes.push_back(edge.to);
    }
  }
  const std::vector<Unit>& originals = this->originals(cls);
  std::erase_if(nodes, [&](NodeId node) {
    if (!can_hold(node)) return true;
    const Unit unit = this->unit(node);
    if (is_new(unit)) return false;
    if (originals.size() < 2) return true;
    const bool is_written_twice = std::all_of(originals.begin(), originals.end(),
                                              [&](Unit other) { return node_of(other) == node; });
    return is_written_twice && !collective(unit);
  });
  return nodes;
}

Unit Problem::unit(NodeId node) {
  if (unit_of_node_[node] != hlo::kNoId) return unit_of_node_[node];
  std::vector<hlo::InstructionId> operands;
  for (ClassId name : hlo_.graph().children(node)) {
    ClassId child = hlo_.graph().find(name);
    const std::vector<Unit>& originals = this->originals(child);
    if (!originals.empty()) {
      operands.push_back(originals.front());
      continue;
    }
    // Only the shape of an operand matters here.
    auto [it, is_new] =
        stand_in_.try_emplace(child, static_cast<Unit>(scratch_.instructions.size()));
    if (is_new) {
      hlo::Instruction stand_in;
      stand_in.opcode = hlo::Opcode::kParameter;
      stand_in.shape = hlo_.shape(child);
      stand_in.computation = hlo_.facts_of(child).region;
      scratch_.instructions.push_back(std::move(stand_in));
      node_of_unit_.push_back(egraph::kNoId);
    }
    operands.push_back(it->second);
  }
  hlo::Instruction instruction = emitter_.emit(scratch_, node, std::move(operands), hlo::kNoId);
  instruction.computation = hlo_.op(node).region;
  Unit unit = static_cast<Unit>(scratch_.instructions.size());
  scratch_.instructions.push_back(std::move(instruction));
  // Stand-ins and reducers that were added on the way are no units.
  node_of_unit_.resize(unit - input_.instructions.size(), egraph::kNoId);
  node_of_unit_.push_back(node);
  unit_of_node_[node] = unit;
  add_references(unit);
  return unit;
}

Problem::Reference Problem::reference_to(Unit original) const {
  // A copy stays and is what its users read; what it copies may be defined anew.
  if (import_.node_of[original] == egraph::kNoId) return {original, egraph::kNoId};
  return {original, hlo_.graph().find(import_.class_of[original])};
}

void Problem::add_references(Unit unit) {
  if (unit >= references_of_.size()) references_of_.resize(unit + 1);
  References& range = references_of_[unit];
  range.begin = static_cast<uint32_t>(references_.size());
  if (is_new(unit)) {
    for (ClassId name : hlo_.graph().children(node_of(unit))) {
      ClassId child = hlo_.graph().find(name);
      const std::vector<Unit>& originals = this->originals(child);
      references_.push_back({originals.empty() ? hlo::kNoId : originals.front(), child});
    }
  } else {
    for (hlo::InstructionId operand : input_[unit].operands) {
      references_.push_back(reference_to(operand));
    }
  }
  range.operands = static_cast<uint32_t>(references_.size()) - range.begin;
  for (hlo::InstructionId before : scratch_[unit].control_predecessors()) {
    references_.push_back({before, egraph::kNoId});
    ++range.control;
  }
}

NodeId Problem::node_of(Unit unit) const {
  return is_new(unit) ? node_of_unit_[unit - input_.instructions.size()] : import_.node_of[unit];
}

ClassId Problem::class_of(Unit unit) const {
  if (!is_new(unit)) {
    ClassId cls = import_.class_of[unit];
    return cls == egraph::kNoId ? cls : hlo_.graph().find(cls);
  }
  return hlo_.graph().find(node_of(unit));
}

Picoseconds Problem::local_cost(Unit unit) {
  if (!is_new(unit) && !surroundings_[unit]) return 0;
  if (unit >= local_.size()) local_.resize(scratch_.instructions.size(), -1);
  if (local_[unit] < 0) local_[unit] = local_work(scratch_, scratch_[unit], machine_);
  return local_[unit];
}

const Problem::CollectiveUnit* Problem::collective(Unit unit) {
  if (unit >= collective_of_.size()) {
    collective_of_.resize(scratch_.instructions.size(), kNotAsked);
  }
  if (collective_of_[unit] == kNoCollective) return nullptr;
  if (collective_of_[unit] != kNotAsked) return &collectives_[collective_of_[unit]];
  std::optional<Collective> found = as_collective(scratch_, scratch_[unit]);
  collective_of_[unit] = kNoCollective;
  if (!found) return nullptr;
  CollectiveUnit result;
  result.opcode = found->opcode;
  result.bytes = found->bytes;
  result.grouping = groupings_.add(scratch_, *found);
  result.wire = wire_bytes(found->opcode, found->bytes, groupings_[result.grouping].largest);
  bool controls = !is_new(unit) && controls_others_[unit];
  if (combines_[scratch_[unit].computation] && !controls) {
    result.candidate = keys_.candidate(scratch_, scratch_[unit]);
  }
  collective_of_[unit] = static_cast<int32_t>(collectives_.size());
  return &collectives_.emplace_back(result);
}

Picoseconds Problem::launch_time(const CollectiveUnit& first, int64_t bytes) const {
  return launch_time_over(machine_, first.opcode, bytes, groupings_[first.grouping].spans);
}

bool Problem::is_combined(Unit unit) {
  const CollectiveUnit* found = collective(unit);
  if (!found || !found->candidate) return false;
  const hlo::CombinerGraph::Limits& limit =
      limits(instruction(unit).computation)[found->candidate->kind];
  return limit.bytes > 0 && limit.count > 1;
}

const std::vector<hlo::CombinerGraph::Limits>& Problem::limits(hlo::ComputationId region) const {
  return combines_[region] ? limits_ : no_limits_;
}

}  // namespace flipsat::extract
