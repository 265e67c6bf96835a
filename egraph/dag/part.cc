#include "egraph/dag/part.h"

namespace flipsat::egraph::dag {

void Part::lift(const Selection& part, Selection& whole) const {
  for (Number cls = 0; cls < problem.class_count(); ++cls) {
    if (part[cls] != kNoId) whole[class_of[cls]] = node_of[part[cls]];
  }
}

Selection Part::cut(const Selection& whole) const {
  Selection part(problem.class_count(), kNoId);
  for (Number cls = 0; cls < problem.class_count(); ++cls) {
    for (const Number node : problem.nodes(cls)) {
      if (node_of[node] == whole[class_of[cls]]) part[cls] = node;
    }
  }
  return part;
}

std::vector<Part> split(const Problem& problem) {
  const Parts parts(problem);
  std::vector<Number> number(problem.class_count());  // in its part
  for (const auto& members : parts.members) {
    for (Number i = 0; i < members.size(); ++i) number[members[i]] = i;
  }
  std::vector<Part> result(parts.members.size());
  std::vector<Number> needs;
  for (Number cls = 0; cls < problem.class_count(); ++cls) {
    Part& part = result[parts.of[cls]];
    part.class_of.push_back(cls);
    for (const Number node : problem.nodes(cls)) {
      needs.clear();
      for (const Number need : problem.needs(node)) needs.push_back(number[need]);
      part.problem.add_node(problem.cost[node], needs);
      part.node_of.push_back(node);
    }
    part.problem.close_class();
  }
  for (const Number root : problem.roots) {
    result[parts.of[root]].problem.roots.push_back(number[root]);
  }
  return result;
}

std::optional<Part> without(const Problem& problem, std::vector<bool> is_dropped) {
  is_dropped.flip();
  const Selection built = build_from(problem, is_dropped);
  is_dropped.flip();
  std::vector<bool> is_kept(problem.class_count());
  std::vector<Number> reached;
  const auto reach = [&](Number cls) {
    if (!is_kept[cls]) reached.push_back(cls);
    is_kept[cls] = true;
  };
  for (const Number root : problem.roots) {
    if (built[root] == kNoId) return std::nullopt;
    reach(root);
  }
  for (size_t i = 0; i < reached.size(); ++i) {  // grows
    for (const Number node : problem.nodes(reached[i])) {
      if (is_dropped[node]) continue;
      for (const Number need : problem.needs(node)) {
        if (built[need] == kNoId || need == reached[i]) is_dropped[node] = true;
      }
      if (is_dropped[node]) continue;
      for (const Number need : problem.needs(node)) reach(need);
    }
  }
  Part part;
  std::vector<Number> number(problem.class_count(), kNoId);
  for (Number cls = 0; cls < problem.class_count(); ++cls) {
    if (!is_kept[cls]) continue;
    number[cls] = static_cast<Number>(part.class_of.size());
    part.class_of.push_back(cls);
  }
  std::vector<Number> needs;
  for (const Number cls : part.class_of) {
    for (const Number node : problem.nodes(cls)) {
      if (is_dropped[node]) continue;
      needs.clear();
      for (const Number need : problem.needs(node)) needs.push_back(number[need]);
      part.problem.add_node(problem.cost[node], needs);
      part.node_of.push_back(node);
    }
    part.problem.close_class();
  }
  for (const Number root : problem.roots) part.problem.roots.push_back(number[root]);
  return part;
}

}  // namespace flipsat::egraph::dag
