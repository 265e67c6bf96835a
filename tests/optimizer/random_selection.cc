#include "tests/optimizer/random_selection.h"

#include <algorithm>

#include "egraph/runner.h"
#include "extract/program_cost.h"
#include "rules/saturate.h"

namespace flipsat::optimizer::testing {

using language::ClassId;
using language::NodeId;

RandomSelection::RandomSelection(const hlo::Module& module, const hlo::DeviceCounts& counts,
                                 const rules::RuleOptions& rules,
                                 const std::unordered_set<std::string>& assume_replicated,
                                 bool everything)
    : module_(module), calls_(module), hlo_(counts), book_(hlo_, rules) {
  hlo::Uniformity uniformity(module, counts, calls_, {assume_replicated});
  hlo::DeviceValues values(module, counts, calls_);
  const std::vector<bool> algebra = everything ? std::vector<bool>(module.instructions.size(), true)
                                               : extract::collective_surroundings(module);
  import_ = language::import_module(module, {counts, calls_, uniformity, values}, algebra, hlo_);
  egraph::RunOptions run;
  run.limits.nodes = 4 * hlo_.graph().node_count() + 1000;
  run.limits.iterations = 12;
  run.limits.matches = 300'000;
  rules::saturate(book_, run);
  originals_ = language::originals_by_class(module, import_, hlo_);
}

// A random cost for each node, and each class's node that is the cheapest with the dearest of what
// it needs: what a node needs is always cheaper than the node, so that no choice is a cycle.
void RandomSelection::choose_cheapest(random_programs::Random& random) {
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

std::optional<language::Export> RandomSelection::draw(random_programs::Random& random) {
  const std::optional<language::Selection> selection = select(random);
  if (!selection) return std::nullopt;
  return language::export_module(module_, import_, hlo_, *selection);
}

std::optional<language::Selection> RandomSelection::select(random_programs::Random& random) {
  choose_cheapest(random);
  const egraph::EGraph& graph = hlo_.graph();
  const int share = random.one_of({20, 60, 100});
  language::Selection selection;
  std::vector<NodeId> pending;
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
    pending.push_back(node);
  }
  if (pending.empty()) return std::nullopt;
  while (!pending.empty()) {
    const NodeId node = pending.back();
    pending.pop_back();
    for (ClassId name : graph.children(node)) {
      const ClassId child = graph.find(name);
      if (originals_.count(child) || selection.chosen.count(child)) continue;
      selection.chosen[child] = cheapest_.at(child);
      pending.push_back(cheapest_.at(child));
    }
  }
  return selection;
}

std::set<std::string> RandomSelection::rules_of(const language::Export& exported) const {
  std::set<std::string> names;
  for (const language::Patch& patch : exported.patches) {
    for (egraph::Reason rule : patch.rules) names.insert(book_.info(rule).name);
    if (patch.rules.empty()) names.insert("duplicate");
  }
  return names;
}

}  // namespace flipsat::optimizer::testing
