#include "egraph/dag/build.h"

#include <algorithm>

#include "egraph/dag/components.h"

namespace flipsat::egraph::dag {
namespace {

// What the roots reach, in the order of discovery.
Imported reach(const EGraph& graph, std::span<const ClassId> roots, const CostFunction& cost,
               const ExtractOptions& options) {
  Imported result;
  Problem& problem = result.problem;
  std::vector<Number> number(graph.node_bound(), kNoId);  // by class of the e-graph
  const auto number_of = [&](ClassId cls) {
    if (number[cls] == kNoId) {
      number[cls] = static_cast<Number>(result.classes.size());
      result.classes.push_back(cls);
    }
    return number[cls];
  };
  for (const ClassId root : roots) problem.roots.push_back(number_of(graph.find(root)));
  std::vector<Number> needs;
  const auto add = [&](Cost own, const Choice& choice, std::span<const ClassId> children) {
    if (own == kUnusable) return;
    needs.clear();
    for (const ClassId child : children) needs.push_back(number_of(graph.find(child)));
    problem.add_node(own, needs);
    result.choices.push_back(choice);
  };
  for (size_t i = 0; i < result.classes.size(); ++i) {  // grows
    const ClassId cls = result.classes[i];
    for (const NodeId node : graph.nodes(cls)) add(cost(node), {node, kNoId}, graph.children(node));
    if (options.follow_edges) {
      for (const Edge& edge : graph.edges(cls)) add(0, {kNoId, edge.to}, {&edge.to, 1});
    }
    problem.close_class();
  }
  return result;
}

}  // namespace

Imported import(const EGraph& graph, std::span<const ClassId> roots, const CostFunction& cost,
                const ExtractOptions& options) {
  const Imported raw = reach(graph, roots, cost, options);
  const Problem& from = raw.problem;
  const Selection built = build_from(from, std::vector<bool>(from.node_count(), true));
  const auto is_usable = [&](Number node) {
    return std::ranges::all_of(from.needs(node), [&](Number child) {
      return built[child] != kNoId && child != from.owner[node];
    });
  };
  Imported result;
  const Cost most = kMostSum / (from.node_count() + 1);
  std::vector<Number> number(from.class_count(), kNoId);
  const Components components(from);
  for (const Number cls : components.order) {
    if (built[cls] == kNoId) continue;
    number[cls] = static_cast<Number>(result.classes.size());
    result.classes.push_back(raw.classes[cls]);
  }
  std::vector<Number> needs;
  for (const Number cls : components.order) {
    if (built[cls] == kNoId) continue;
    for (const Number node : from.nodes(cls)) {
      if (!is_usable(node)) continue;
      needs.clear();
      for (const Number child : from.needs(node)) needs.push_back(number[child]);
      result.problem.add_node(std::min(from.cost[node], most), needs);
      result.choices.push_back(raw.choices[node]);
    }
    result.problem.close_class();
  }
  for (const Number root : from.roots) {
    if (number[root] != kNoId) result.problem.roots.push_back(number[root]);
  }
  std::vector<Number>& kept = result.problem.roots;
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return result;
}

Extraction to_extraction(const EGraph& graph, const Imported& imported,
                         const Selection& selection) {
  std::vector<Choice> choices(graph.node_bound());
  std::vector<Number> in_use(imported.problem.roots);
  std::vector<bool> is_seen(imported.classes.size());
  for (const Number root : in_use) is_seen[root] = true;
  while (!in_use.empty()) {
    const Number cls = in_use.back();
    in_use.pop_back();
    choices[imported.classes[cls]] = imported.choices[selection[cls]];
    for (const Number need : imported.problem.needs(selection[cls])) {
      if (is_seen[need]) continue;
      is_seen[need] = true;
      in_use.push_back(need);
    }
  }
  return Extraction(std::move(choices));
}

}  // namespace flipsat::egraph::dag
