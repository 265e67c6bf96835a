#include "language/export.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "hlo/editor.h"
#include "language/emit.h"
#include "language/regroup.h"

namespace flipsat::language {
namespace {

using hlo::InstructionId;

class Exporter {
 public:
  Exporter(const hlo::Module& input, const Import& import, HloGraph& hlo,
           const Selection& selection, Grouped grouped)
      : input_(input),
        import_(import),
        hlo_(hlo),
        selection_(selection),
        grouped_(grouped),
        originals_(originals_by_class(input, import, hlo)),
        module_(input),
        editor_(module_),
        emitter_(input, import, hlo) {}

  std::optional<Export> run() {
    for (InstructionId id = 0; id < import_.node_of.size(); ++id) {
      if (import_.node_of[id] != egraph::kNoId) instruction_of_.emplace(import_.node_of[id], id);
    }
    for (const auto& [cls, node] : selection_.chosen) {
      if (!originals_.count(cls)) continue;
      if (value_of(cls) == hlo::kNoId) return std::nullopt;
    }
    if (!is_acyclic()) return std::nullopt;
    assign_channels();
    for (const auto& [cls, node] : selection_.chosen) {
      if (originals_.count(cls)) redefine(cls);
    }
    editor_.finish();
    const bool is_regrouped = grouped_ == Grouped::kAsBefore && regroup_collectives();
    Export result{std::move(module_), {}, is_regrouped};
    describe(result);
    return result;
  }

 private:
  // The instruction that holds the value of a class, made where it is new; kNoId on a cycle.
  InstructionId value_of(ClassId name) {
    ClassId cls = hlo_.graph().find(name);
    auto chosen = selection_.chosen.find(cls);
    if (chosen == selection_.chosen.end()) {
      auto originals = originals_.find(cls);
      return originals == originals_.end() ? hlo::kNoId : originals->second.front();
    }
    return value_of_node(cls, chosen->second);
  }

  InstructionId value_of_node(ClassId cls, NodeId node) {
    auto original = instruction_of_.find(node);
    if (original != instruction_of_.end()) return original->second;
    auto [it, is_new] = made_.try_emplace(node, hlo::kNoId);
    if (!is_new) return it->second;  // kNoId while it is being made: a cycle
    std::vector<InstructionId> operands;
    for (ClassId child : hlo_.graph().children(node)) {
      InstructionId operand = value_of(child);
      if (operand == hlo::kNoId) return hlo::kNoId;
      operands.push_back(operand);
    }
    auto originals = originals_.find(cls);
    InstructionId stands_for =
        originals == originals_.end() ? hlo::kNoId : originals->second.front();
    hlo::Instruction instruction = emitter_.emit(module_, node, std::move(operands), stands_for);
    InstructionId id = editor_.add(hlo_.op(node).region, std::move(instruction));
    made_[node] = id;
    node_behind_.emplace(id, node);
    return id;
  }

  // With every redefined value standing for its class, does some value depend on itself? Only the
  // redefined can close a cycle; walks the program as it will be.
  bool is_acyclic() {
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> state(module_.instructions.size(), kNew);
    std::vector<std::pair<InstructionId, size_t>> stack;
    for (const auto& [cls, node] : selection_.chosen) {
      if (!originals_.count(cls)) continue;
      stack.emplace_back(value_of(cls), 0);
      while (!stack.empty()) {
        auto& [id, next] = stack.back();
        if (next == 0) state[id] = state[id] == kNew ? uint8_t{kOpen} : state[id];
        if (state[id] == kDone || next == module_[id].operands.size()) {
          state[id] = kDone;
          stack.pop_back();
          continue;
        }
        InstructionId operand = current(module_[id].operands[next++]);
        if (state[operand] == kOpen) return false;
        if (state[operand] == kNew) stack.emplace_back(operand, 0);
      }
    }
    return true;
  }

  // What an operand will be once its class is redefined.
  InstructionId current(InstructionId operand) {
    if (operand >= import_.node_of.size() || import_.node_of[operand] == egraph::kNoId) {
      return operand;
    }
    ClassId cls = hlo_.graph().find(import_.class_of[operand]);
    return selection_.chosen.count(cls) ? value_of(cls) : operand;
  }

  void redefine(ClassId cls) {
    InstructionId value = value_of(cls);
    for (InstructionId original : originals_.at(cls)) {
      if (original == value) continue;
      editor_.replace_all_uses(original, value);
      Patch patch;
      patch.at = original;
      patch.replacement = value;
      patch.is_refinement = hlo_.graph().find(selection_.chosen.at(cls)) != cls;
      patches_.push_back(std::move(patch));
    }
  }

  // A new collective that stands for one old one takes its channel; any other gets a fresh number.
  void assign_channels() {
    std::map<InstructionId, int> claims;
    std::vector<InstructionId> collectives;
    for (const auto& [id, node] : node_behind_) {
      if (!is_collective(hlo_.op(node).kind) || !hlo_.collective(node).has_channel) continue;
      collectives.push_back(id);
      for (InstructionId source : hlo_.lineage(node)) ++claims[source];
    }
    for (InstructionId id : collectives) {
      const auto& sources = hlo_.lineage(node_behind_.at(id));
      bool is_one_for_one =
          sources.size() == 1 && claims[sources[0]] == 1 && is_replaced(sources[0]);
      int64_t channel = is_one_for_one ? input_[sources[0]].channel_id().value_or(0) : 0;
      if (channel <= 0) channel = editor_.fresh_channel_id();
      emitter_.set_channel(module_[id], channel);
    }
  }

  bool regroup_collectives() {
    const std::vector<Regrouped> all = regroup(input_, hlo_, node_behind_, module_, editor_);
    if (all.empty()) return false;
    for (const Regrouped& one : all) {
      node_behind_[one.collective] = egraph::kNoId;
      for (size_t i = 0; i < one.members.size(); ++i) {
        node_behind_[one.elements[i]] = node_behind_.at(one.members[i]);
        for (Patch& patch : patches_) {
          if (patch.replacement == one.members[i]) patch.replacement = one.elements[i];
        }
      }
    }
    editor_.finish();
    return true;
  }

  // Will nobody need this instruction of the input any more? An estimate made before the edit: all
  // its users are redefined or unneeded themselves.
  bool is_replaced(InstructionId id) {
    ClassId cls = hlo_.graph().find(import_.class_of[id]);
    auto chosen = selection_.chosen.find(cls);
    if (chosen != selection_.chosen.end()) return value_of(cls) != id;
    auto [it, is_new] = replaced_.try_emplace(id, false);
    if (!is_new) return it->second;
    const auto& users = editor_.users(id);
    if (users.empty() || module_.computations[module_[id].computation].root == id) return false;
    bool all = std::all_of(users.begin(), users.end(), [&](InstructionId user) {
      return user < import_.node_of.size() && !made_by_us(user) && is_replaced(user);
    });
    replaced_[id] = all;
    return all;
  }

  bool made_by_us(InstructionId id) const { return id >= input_.instructions.size(); }

  // What each patch took away and brought, told apart after the fact.
  void describe(Export& result) {
    std::vector<bool> live = hlo::live_instructions(result.module);
    std::vector<bool> was_live = hlo::live_instructions(input_);
    for (Patch& patch : patches_) {
      collect(
          patch.at, patch.from,
          [&](InstructionId id) { return !made_by_us(id) && was_live[id] && !live[id]; }, input_);
      collect(
          patch.replacement, patch.to, [&](InstructionId id) { return made_by_us(id) && live[id]; },
          result.module);
      std::set<egraph::Reason> rules;
      for (InstructionId id : patch.to) {
        NodeId node = node_behind_.at(id);
        patch.nodes.push_back(node);
        if (node == egraph::kNoId) continue;
        if (hlo_.graph().born_of(node) != egraph::kNoReason)
          rules.insert(hlo_.graph().born_of(node));
      }
      patch.rules.assign(rules.begin(), rules.end());
    }
    std::sort(patches_.begin(), patches_.end(),
              [](const Patch& a, const Patch& b) { return a.at < b.at; });
    result.patches = std::move(patches_);
  }

  template <class Predicate>
  static void collect(InstructionId from, std::vector<InstructionId>& into, Predicate wanted,
                      const hlo::Module& module) {
    std::set<InstructionId> seen;
    std::vector<InstructionId> stack{from};
    while (!stack.empty()) {
      InstructionId id = stack.back();
      stack.pop_back();
      if (!wanted(id) || !seen.insert(id).second) continue;
      for (InstructionId operand : module[id].operands) stack.push_back(operand);
    }
    into.assign(seen.begin(), seen.end());
  }

  const hlo::Module& input_;
  const Import& import_;
  HloGraph& hlo_;
  const Selection& selection_;
  Grouped grouped_;
  std::map<ClassId, std::vector<InstructionId>> originals_;
  hlo::Module module_;
  hlo::ModuleEditor editor_;
  Emitter emitter_;
  std::unordered_map<NodeId, InstructionId> instruction_of_;  // looked up only
  std::map<NodeId, InstructionId> made_;
  std::map<InstructionId, NodeId> node_behind_;
  std::map<InstructionId, bool> replaced_;
  std::vector<Patch> patches_;
};

}  // namespace

std::map<ClassId, std::vector<hlo::InstructionId>> originals_by_class(const hlo::Module& input,
                                                                      const Import& import,
                                                                      const HloGraph& hlo) {
  std::map<ClassId, std::vector<hlo::InstructionId>> originals;
  for (hlo::ComputationId region : import.regions) {
    for (hlo::InstructionId id : input.computations[region].instructions) {
      if (import.node_of[id] == egraph::kNoId) continue;
      originals[hlo.graph().find(import.class_of[id])].push_back(id);
    }
  }
  return originals;
}

std::optional<Export> export_module(const hlo::Module& input, const Import& import, HloGraph& hlo,
                                    const Selection& selection, Grouped grouped) {
  return Exporter(input, import, hlo, selection, grouped).run();
}

}  // namespace flipsat::language
