#include "optimizer/inspection.h"

#include "language/node_text.h"

namespace flipsat::optimizer {

using language::ClassId;
using language::NodeId;

Inspection::Inspection(const hlo::Module& input, const Options& options, EGraphProgram& program,
                       const Result& result)
    : input_(input),
      options_(options),
      program_(program),
      result_(result),
      originals_(language::originals_by_class(input, program.imported(), program.hlo())) {
  if (result.origin == Origin::kEGraph) {
    selection_ = program.selection();
    output_ = program.chosen_program();
  }
  const std::vector<NodeId>& node_of = program.imported().node_of;
  for (hlo::ComputationId region : program.imported().regions) {
    for (hlo::InstructionId id : input.computations[region].instructions) {
      if (node_of[id] != egraph::kNoId) written_as_[node_of[id]].push_back(id);
    }
  }
  has_control_successor_.assign(input.instructions.size(), false);
  for (const hlo::Instruction& instruction : input.instructions) {
    for (hlo::InstructionId before : instruction.control_predecessors()) {
      has_control_successor_[before] = true;
    }
  }
  if (program.problem() != nullptr) note_batches();
}

void Inspection::note_batches() {
  state_.emplace(*program_.problem());
  for (const auto& [cls, node] : selection_.chosen) state_->choose(cls, node);
  if (!state_->cost()) return;
  state_->settle();
  for (hlo::ComputationId region : program_.imported().regions) {
    for (const std::vector<extract::Unit>& batch : state_->live_batches(region)) {
      for (extract::Unit unit : batch) batch_size_[unit] = static_cast<int64_t>(batch.size());
    }
  }
}

const std::vector<language::Patch>& Inspection::patches() const {
  static const std::vector<language::Patch> kNone;
  return output_ ? output_->patches : kNone;
}

NodeId Inspection::chosen(ClassId cls) const {
  const auto found = selection_.chosen.find(graph().find(cls));
  return found == selection_.chosen.end() ? egraph::kNoId : found->second;
}

bool Inspection::is_in_output(NodeId node) const {
  if (!state_) return false;
  for (hlo::InstructionId id : written_as(node)) {
    if (state_->is_live(id)) return true;
  }
  return program_.problem()->can_hold(node) && state_->is_live(program_.problem()->unit(node));
}

std::optional<hlo::InstructionId> Inspection::instruction_named(const std::string& name) const {
  for (hlo::ComputationId computation : input_.order) {
    for (hlo::InstructionId id : input_.computations[computation].instructions) {
      if (input_[id].name == name) return id;
    }
  }
  return std::nullopt;
}

ClassId Inspection::class_of(hlo::InstructionId id) const {
  const ClassId cls = program_.imported().class_of[id];
  return cls == egraph::kNoId ? cls : graph().find(cls);
}

const std::vector<hlo::InstructionId>& Inspection::originals(ClassId cls) const {
  static const std::vector<hlo::InstructionId> kNone;
  const auto found = originals_.find(graph().find(cls));
  return found == originals_.end() ? kNone : found->second;
}

const std::vector<hlo::InstructionId>& Inspection::written_as(NodeId node) const {
  static const std::vector<hlo::InstructionId> kNone;
  const auto found = written_as_.find(node);
  return found == written_as_.end() ? kNone : found->second;
}

std::optional<std::string> Inspection::why_opaque(hlo::InstructionId id) const {
  if (class_of(id) == egraph::kNoId) return std::nullopt;
  const NodeId node = program_.imported().node_of[id];
  if (node == egraph::kNoId || hlo().op(node).kind != language::Kind::kOpaque) return "";
  std::string reason =
      language::opaque_reason(input_, input_[id], program_.counts(), has_control_successor_[id]);
  if (!reason.empty()) return reason;
  // What could be looked into and was not even tried.
  return program_.is_near_collective(id) ? "several results" : "outside the reach of a collective";
}

const rules::RuleInfo* Inspection::rule(egraph::Reason reason) const {
  if (reason >= program_.rule_book().set().size()) return nullptr;
  return &program_.rule_book().info(reason);
}

bool Inspection::is_saturated() const {
  return program_.saturation().stop.stop == egraph::Stop::kSaturated;
}

std::string Inspection::name(ClassId cls) const {
  const std::vector<hlo::InstructionId>& all = originals(cls);
  if (!all.empty()) return "%" + input_[all.front()].name;
  return "c" + std::to_string(graph().find(cls));
}

std::string Inspection::text(NodeId node, bool with_shape) const {
  std::vector<std::string> operands;
  for (ClassId child : graph().children(node)) operands.push_back(name(child));
  return language::node_text(hlo(), hlo().op(node), operands, with_shape);
}

std::optional<Inspection::Cost> Inspection::cost(NodeId node) const {
  extract::Problem* problem = program_.problem();
  if (problem == nullptr || !problem->can_hold(node)) return std::nullopt;
  extract::Unit unit = problem->unit(node);
  for (hlo::InstructionId id : written_as(node)) {
    if (state_->is_live(id)) unit = id;
  }
  Cost cost;
  const extract::Problem::CollectiveUnit* collective = problem->collective(unit);
  if (collective == nullptr) {
    cost.time = problem->local_cost(unit);
    return cost;
  }
  cost.is_collective = true;
  cost.wire_bytes = collective->wire;
  cost.time = problem->launch_time(*collective, collective->bytes) + problem->local_cost(unit);
  if (state_->is_live(unit)) {
    const auto batch = batch_size_.find(unit);
    cost.launched_together = batch == batch_size_.end() ? 1 : batch->second;
  }
  return cost;
}

Result inspect(const hlo::Module& input, Options options,
               const std::function<void(const Inspection&)>& look) {
  options.hoist = options.beat_orders = options.emit_combined = options.headroom = false;
  options.alternatives = 0;
  return optimize(input, options, [&](EGraphProgram& program, const Result& result) {
    look(Inspection(input, options, program, result));
  });
}

}  // namespace flipsat::optimizer
