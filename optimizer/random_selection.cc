#include "optimizer/random_selection.h"

#include <algorithm>

#include "egraph/runner.h"
#include "extract/program_cost.h"
#include "rules/saturate.h"

namespace flipsat::optimizer {

using language::ClassId;
using language::NodeId;

RandomSelection::RandomSelection(const hlo::Module& module, const hlo::DeviceCounts& counts,
                                 const rules::RuleOptions& rules,
                                 const std::unordered_set<std::string>& assume_replicated,
                                 bool everything, std::optional<egraph::Limits> limits)
    : module_(module), calls_(module), hlo_(counts), book_(hlo_, rules) {
  hlo::Uniformity uniformity(module, counts, calls_, {assume_replicated});
  hlo::DeviceValues values(module, counts, calls_);
  const std::vector<bool> algebra = everything ? std::vector<bool>(module.instructions.size(), true)
                                               : extract::collective_surroundings(module);
  import_ = language::import_module(module, {counts, calls_, uniformity, values}, algebra, hlo_);
  egraph::RunOptions run;
  if (limits) {
    run.limits = *limits;
  } else {
    run.limits.nodes = 4 * hlo_.graph().node_count() + 1000;
    run.limits.iterations = 12;
    run.limits.matches = 300'000;
  }
  rules::saturate(book_, run);
  originals_ = language::originals_by_class(module, import_, hlo_);
}

// A random cost for each node, and each class's node that is the cheapest with the dearest of what
// it needs: what a node needs is always cheaper than the node, so that no choice is a cycle.
void RandomSelection::choose_cheapest(Random& random) {
  constexpr uint64_t kUnreached = 1'000'000'000;
  const egraph::EGraph& graph = hlo_.graph();
  std::map<NodeId, uint64_t> cost;
  std::map<ClassId, uint64_t> total;
  const std::vector<ClassId> classes = graph.classes();
  for (ClassId cls : classes) {
    total[cls] = kUnreached;
    for (NodeId node : graph.nodes(cls)) cost[node] = random.chance(50) ? 1 : random.between(1, 99);
  }
  cheapest_.clear();
  for (bool changed = true; changed;) {
    changed = false;
    for (ClassId cls : classes) {
      for (NodeId node : graph.nodes(cls)) {
        if (!language::is_instruction(hlo_.op(node).kind)) continue;
        uint64_t dearest = 0;
        for (ClassId child : graph.children(node)) {
          dearest = std::max(dearest, total[graph.find(child)]);
        }
        if (cost[node] + dearest >= total[cls]) continue;
        total[cls] = cost[node] + dearest;
        cheapest_[cls] = node;
        changed = true;
      }
    }
  }
}

std::optional<language::Export> RandomSelection::draw(Random& random) {
  const std::optional<language::Selection> selection = select(random);
  if (!selection) return std::nullopt;
  return language::export_module(module_, import_, hlo_, *selection);
}

std::optional<language::Selection> RandomSelection::select(Random& random) {
  choose_cheapest(random);
  const egraph::EGraph& graph = hlo_.graph();
  const int share = random.one_of({20, 60, 100});
  language::Selection selection;
  for (const auto& [cls, instructions] : originals_) {
    if (!random.chance(share)) continue;
    NodeId node = cheapest_.at(cls);
    const auto edges = graph.edges(cls);
    if (!edges.empty() && random.chance(60)) {
      const ClassId wider = edges[random.below(static_cast<int64_t>(edges.size()))].to;
      node = cheapest_.at(graph.find(wider));
    } else if (instructions.size() == 1 && import_.node_of[instructions[0]] == node) {
      continue;
    }
    selection.chosen[cls] = node;
  }
  if (selection.chosen.empty()) return std::nullopt;
  complete(selection, cheapest_);
  return selection;
}

void RandomSelection::complete(language::Selection& selection,
                               const std::map<ClassId, NodeId>& definitions) const {
  const egraph::EGraph& graph = hlo_.graph();
  std::vector<NodeId> pending;
  for (const auto& [cls, node] : selection.chosen) pending.push_back(node);
  while (!pending.empty()) {
    const NodeId node = pending.back();
    pending.pop_back();
    for (ClassId name : graph.children(node)) {
      const ClassId child = graph.find(name);
      if (originals_.count(child) || selection.chosen.count(child)) continue;
      selection.chosen[child] = definitions.at(child);
      pending.push_back(definitions.at(child));
    }
  }
}

std::map<std::string, std::vector<RandomSelection::Step>> RandomSelection::steps() const {
  const egraph::EGraph& graph = hlo_.graph();
  const std::vector<bool> is_live = hlo::live_instructions(module_);
  std::map<std::string, std::vector<Step>> by_rule;
  for (const auto& [cls, instructions] : originals_) {
    if (std::ranges::none_of(instructions, [&](hlo::InstructionId id) { return is_live[id]; })) {
      continue;
    }
    for (NodeId node : graph.nodes(cls)) {
      const egraph::Reason born = graph.born_of(node);
      if (born == egraph::kNoReason || !language::is_instruction(hlo_.op(node).kind)) continue;
      const std::string& rule = book_.info(born).name;
      by_rule[rule].push_back({cls, node, rule});
    }
  }
  return by_rule;
}

std::vector<bool> RandomSelection::built_on(ClassId cls) const {
  const std::vector<std::vector<hlo::InstructionId>> users = hlo::users_of(module_);
  std::vector<hlo::InstructionId> pending = originals_.at(cls);
  std::vector<bool> seen(module_.instructions.size(), false);
  while (!pending.empty()) {
    const hlo::InstructionId id = pending.back();
    pending.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    pending.insert(pending.end(), users[id].begin(), users[id].end());
  }
  std::vector<bool> built(hlo_.graph().node_bound(), false);
  for (const auto& [other, instructions] : originals_) built[other] = seen[instructions.front()];
  built[cls] = true;
  return built;
}

std::optional<language::Selection> RandomSelection::define(const Step& step, Random& random) const {
  constexpr int64_t kUnreached = 1'000'000'000;
  const egraph::EGraph& graph = hlo_.graph();
  const std::vector<bool> built = built_on(step.cls);
  // As in choose_cheapest, over what the module has and does not build on the class.
  std::vector<int64_t> total(graph.node_bound(), kUnreached), cost(graph.node_bound());
  std::vector<ClassId> fresh;
  for (ClassId cls : graph.classes()) {
    if (originals_.count(cls)) {
      if (!built[cls]) total[cls] = 0;
      continue;
    }
    fresh.push_back(cls);
    for (NodeId node : graph.nodes(cls)) cost[node] = random.between(1, 99);
  }
  const auto dearest_below = [&](NodeId node) {
    int64_t dearest = 0;
    for (ClassId child : graph.children(node)) {
      dearest = std::max(dearest, total[graph.find(child)]);
    }
    return dearest;
  };
  std::map<ClassId, NodeId> definitions;
  for (bool changed = true; changed;) {
    changed = false;
    for (ClassId cls : fresh) {
      for (NodeId node : graph.nodes(cls)) {
        if (!language::is_instruction(hlo_.op(node).kind)) continue;
        const int64_t sum = cost[node] + dearest_below(node);
        if (sum >= total[cls]) continue;
        total[cls] = sum;
        definitions[cls] = node;
        changed = true;
      }
    }
  }
  if (dearest_below(step.node) >= kUnreached) return std::nullopt;
  language::Selection selection;
  selection.chosen[step.cls] = step.node;
  complete(selection, definitions);
  return selection;
}

bool RandomSelection::is_taken(const Step& step, const language::Export& exported) const {
  return std::ranges::any_of(exported.patches, [&](const language::Patch& patch) {
    return !patch.to.empty() && hlo_.graph().find(import_.class_of[patch.at]) == step.cls;
  });
}

std::set<std::string> RandomSelection::rules_of(const language::Export& exported) const {
  std::set<std::string> names;
  for (const language::Patch& patch : exported.patches) {
    for (egraph::Reason rule : patch.rules) names.insert(book_.info(rule).name);
    if (patch.rules.empty()) names.insert("duplicate");
  }
  return names;
}

}  // namespace flipsat::optimizer
