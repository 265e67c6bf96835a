// The JSON format of the egraph-serialize project, which extraction benchmarks and viewers share:
//
//   {"nodes": {"c0.0": {"op": "x", "children": [], "eclass": "c0", "cost": 1.0},
//              "c1.0": {"op": "neg", "children": ["c0.0"], "eclass": "c1", "cost": 2.0}},
//    "root_eclasses": ["c1"],
//    "class_data": {"c1": {"type": "Real"}}}
//
// A child is named by a node, and stands for the whole class of that node. `cost` is 1 and
// `subsumed` false where they are not given; what else a node or a class has is skipped.
//
// SerializedGraph holds such a file as it is, circles and all. An EGraph grows from its leaves and
// nodes never leave it, so `to_egraph` makes the nodes whose children can be made and closes
// circles by merging: in {x, x * 1} the second node is added when the class of x is there, and
// joins it. What is left out are exactly the nodes that no finite term contains (every way down
// from them goes round in a circle): no extraction could choose them. Congruence may merge classes
// that the file keeps apart.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "egraph/io/input_error.h"
#include "egraph/io/print.h"

namespace flipsat::egraph {

struct SerializedGraph {
  struct Node {
    std::string id;
    std::string op;
    std::vector<uint32_t> children;  // indices of nodes
    uint32_t cls = kNoId;            // index of its class
    double cost = 1;                 // finite
    bool subsumed = false;           // not to be matched or extracted any more

    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;                // in the file's order
  std::vector<std::string> classes;       // names, in the order of their first nodes
  std::vector<uint32_t> roots;            // indices of classes
  std::map<uint32_t, std::string> types;  // class_data: of some classes, by index

  bool operator==(const SerializedGraph&) const = default;
};

// Throws InputError: with line and column for what is no JSON, with the node's name for what is
// missing, of the wrong type, given twice, or names a node or class that there is not.
SerializedGraph read_serialized(std::string_view json, const std::string& file);

// One node a line. Bytes that are no UTF-8 are replaced.
std::string write_serialized(const SerializedGraph& graph);

// A rebuilt e-graph as such a graph. Nodes are called CLASS.NUMBER; a class is named as a child by
// its first node.
SerializedGraph serialize(const EGraph& graph, const NodeNames& names, const CostFunction& cost,
                          std::span<const ClassId> roots);

// Two nodes that fall together keep the lower cost, and are subsumed if both are.
struct ImportedGraph {
  Symbols symbols;
  EGraph graph;
  std::vector<ClassId> classes;  // by class of the file; kNoId where it has no finite term
  std::vector<ClassId> roots;    // those that have one
  std::vector<double> costs;     // by node
  std::vector<bool> subsumed;    // by node
  size_t left_out = 0;           // nodes of the file that no finite term contains
};

// Throws InputError for more than 65,535 names with children, or a node with more than 32,767.
ImportedGraph to_egraph(const SerializedGraph& graph, const std::string& file);

// Costs as extraction wants them: whole numbers, in proportion to the file's (the same where these
// are whole, else to 40 bits of the largest). Subsumed nodes are unusable. Throws InputError for a
// negative cost.
CostFunction extraction_costs(const ImportedGraph& imported, const std::string& file);

}  // namespace flipsat::egraph
