#include "tests/egraph/isomorphism.h"

#include <map>

namespace flipsat::egraph {

// Every class has a finite term, so pairing classes upwards from the leaves reaches them all.
bool are_isomorphic(const EGraph& a, const EGraph& b) {
  if (a.node_count() != b.node_count() || a.class_count() != b.class_count()) return false;
  if (a.all_edges().size() != b.all_edges().size()) return false;
  std::map<std::pair<Kind, uint32_t>, OperatorId> operators_of_b;
  for (OperatorId op = 0; op < b.operators().size(); ++op) {
    operators_of_b[{b.operators().kind(op), b.operators().payload(op)}] = op;
  }
  std::map<ClassId, ClassId> b_of_a;
  std::map<ClassId, ClassId> a_of_b;
  std::vector<bool> done(a.node_bound());
  for (bool progress = true; progress;) {
    progress = false;
    for (NodeId node = 0; node < a.node_bound(); ++node) {
      if (!a.is_live(node) || done[node]) continue;
      std::vector<ClassId> children;
      for (const ClassId child : a.children(node)) {
        if (b_of_a.count(child) != 0) children.push_back(b_of_a[child]);
      }
      if (children.size() != a.children(node).size()) continue;
      const auto op = operators_of_b.find({a.kind(node), a.payload(node)});
      if (op == operators_of_b.end()) return false;
      const auto twin = b.lookup(op->second, children);
      if (!twin) return false;
      if (b_of_a.try_emplace(a.find(node), *twin).first->second != *twin) return false;
      if (a_of_b.try_emplace(*twin, a.find(node)).first->second != a.find(node)) return false;
      done[node] = true;
      progress = true;
    }
  }
  for (const Edge& edge : a.all_edges().all()) {
    bool found = false;
    for (const Edge& other : b.edges(b_of_a.at(edge.from))) found |= other.to == b_of_a.at(edge.to);
    if (!found) return false;
  }
  return b_of_a.size() == a.class_count();
}

}  // namespace flipsat::egraph
