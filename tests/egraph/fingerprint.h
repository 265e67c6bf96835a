// All that can be seen of an e-graph, number for number.
#pragma once

#include <sstream>
#include <string>

#include "egraph/egraph.h"
#include "tests/egraph/reference/facts.h"

namespace flipsat::egraph::reference {

// The graph is rebuilt.
inline std::string fingerprint(const EGraph& graph, FactsMode mode) {
  std::ostringstream out;
  out << graph.node_bound() << ' ' << graph.node_count() << ' ' << graph.class_count() << '\n';
  for (NodeId node = 0; node < graph.node_bound(); ++node) {
    out << node << (graph.is_live(node) ? " live " : " stale ") << graph.find(node) << ' '
        << graph.op(node) << ':';
    for (const ClassId child : graph.children(node)) out << ' ' << child;
    out << '\n';
  }
  for (const ClassId cls : graph.classes()) {
    out << cls << " nodes";
    for (const NodeId node : graph.nodes(cls)) out << ' ' << node;
    out << " parents";
    for (const NodeId node : graph.parents(cls)) out << ' ' << node;
    out << " edges";
    for (const Edge& edge : graph.edges(cls)) out << ' ' << edge.to << '/' << edge.reason;
    if (mode != FactsMode::kNone) {
      const Facts& facts = graph.data<Facts>(cls);
      out << " facts " << facts.size << ' ' << +facts.values << ' ' << +facts.letters;
    }
    out << '\n';
  }
  return out.str();
}

}  // namespace flipsat::egraph::reference
