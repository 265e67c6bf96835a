#include "egraph/io/serialize.h"

#include <algorithm>
#include <cmath>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

namespace flipsat::egraph {
namespace {

constexpr size_t kMaxChildren = 32'767;  // of a node in an e-graph

// A node's content: its operator and the canonical classes of its children.
struct Content {
  OperatorId op;
  std::span<const ClassId> children;
};

struct ContentOf {
  const EGraph* graph;
  Content operator()(NodeId node) const { return {graph->op(node), graph->children(node)}; }
  const Content& operator()(const Content& content) const { return content; }
};

struct HashContent : ContentOf {
  using is_transparent = void;
  size_t operator()(const auto& value) const {
    const Content content = ContentOf::operator()(value);
    size_t seed = content.op;
    boost::hash_range(seed, content.children.begin(), content.children.end());
    return seed;
  }
};

struct SameContent : ContentOf {
  using is_transparent = void;
  bool operator()(const auto& a, const auto& b) const {
    const Content left = ContentOf::operator()(a), right = ContentOf::operator()(b);
    return left.op == right.op && std::ranges::equal(left.children, right.children);
  }
};

class Importer {
 public:
  Importer(const SerializedGraph& from, const std::string& file) : from_(from), file_(file) {
    result_.classes.assign(from.classes.size(), kNoId);
  }

  ImportedGraph import() && {
    intern();
    add_nodes();
    result_.graph.rebuild();
    for (ClassId& cls : result_.classes) {
      if (cls != kNoId) cls = result_.graph.find(cls);
    }
    for (const uint32_t root : from_.roots) {
      if (result_.classes[root] != kNoId) result_.roots.push_back(result_.classes[root]);
    }
    bring_over_costs();
    return std::move(result_);
  }

 private:
  void intern() {
    Symbols& symbols = result_.symbols;
    for (const SerializedGraph::Node& node : from_.nodes) {
      const bool is_leaf = node.children.empty();
      if (node.children.size() > kMaxChildren) fail(node, "more than 32,767 children");
      if (!is_leaf && symbols.find_head(node.op) == kNoId && !symbols.can_add_head()) {
        fail(node, "more than 65,535 names of nodes with children");
      }
      ops_.push_back(
          symbols.intern(result_.graph, is_leaf ? symbols.leaf(node.op) : symbols.head(node.op)));
    }
  }

  // Each node when the classes of its children are there: once for each child it is told so.
  void add_nodes() {
    std::vector<std::vector<uint32_t>> users(from_.classes.size());
    std::vector<uint32_t> waits_for(from_.nodes.size());
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < from_.nodes.size(); ++i) {
      const SerializedGraph::Node& node = from_.nodes[i];
      for (const uint32_t child : node.children) users[from_.nodes[child].cls].push_back(i);
      waits_for[i] = static_cast<uint32_t>(node.children.size());
      if (node.children.empty()) ready.push_back(i);
    }
    size_t added = 0;
    for (; added < ready.size(); ++added) {
      const uint32_t cls = from_.nodes[ready[added]].cls;
      if (!add(ready[added])) continue;
      for (const uint32_t user : users[cls]) {
        if (--waits_for[user] == 0) ready.push_back(user);
      }
    }
    result_.left_out = from_.nodes.size() - added;
  }

  // True if the node is the first of its class.
  bool add(uint32_t index) {
    ClassId& cls = result_.classes[from_.nodes[index].cls];
    const std::span<const ClassId> children = children_of(index);
    if (cls != kNoId) {
      result_.graph.add_to(cls, ops_[index], children);
      return false;
    }
    cls = result_.graph.add(ops_[index], children);
    return true;
  }

  std::span<const ClassId> children_of(uint32_t index) {
    scratch_.clear();
    for (const uint32_t child : from_.nodes[index].children) {
      scratch_.push_back(result_.graph.find(result_.classes[from_.nodes[child].cls]));
    }
    return scratch_;
  }

  bool is_made(const SerializedGraph::Node& node) const {
    return std::ranges::all_of(node.children, [&](uint32_t child) {
      return result_.classes[from_.nodes[child].cls] != kNoId;
    });
  }

  void bring_over_costs() {
    const EGraph& graph = result_.graph;
    boost::unordered_flat_set<NodeId, HashContent, SameContent> nodes(
        2 * graph.node_count(), HashContent{{&graph}}, SameContent{{&graph}});
    for (NodeId node = 0; node < graph.node_bound(); ++node) {
      if (graph.is_live(node)) nodes.insert(node);
    }
    result_.costs.assign(graph.node_bound(), std::numeric_limits<double>::infinity());
    result_.subsumed.assign(graph.node_bound(), true);
    for (uint32_t i = 0; i < from_.nodes.size(); ++i) {
      if (!is_made(from_.nodes[i])) continue;
      const NodeId node = *nodes.find(Content{ops_[i], children_of(i)});
      result_.costs[node] = std::min(result_.costs[node], from_.nodes[i].cost);
      if (!from_.nodes[i].subsumed) result_.subsumed[node] = false;
    }
  }

  [[noreturn]] void fail(const SerializedGraph::Node& node, const std::string& message) const {
    throw InputError({file_, 0, 0}, "node " + in_quotes(node.id) + ": " + message);
  }

  const SerializedGraph& from_;
  const std::string& file_;
  ImportedGraph result_;
  std::vector<OperatorId> ops_;  // by node of the file
  std::vector<ClassId> scratch_;
};

}  // namespace

SerializedGraph serialize(const EGraph& graph, const NodeNames& names, const CostFunction& cost,
                          std::span<const ClassId> roots) {
  SerializedGraph result;
  std::vector<uint32_t> index_of(graph.node_bound(), kNoId);    // by class
  std::vector<uint32_t> first_node(graph.node_bound(), kNoId);  // by class: index of a node
  std::vector<NodeId> order;
  for (const ClassId cls : graph.classes()) {
    index_of[cls] = static_cast<uint32_t>(result.classes.size());
    first_node[cls] = static_cast<uint32_t>(order.size());
    result.classes.push_back(std::to_string(cls));
    for (const NodeId node : graph.nodes(cls)) {
      if (graph.is_live(node)) order.push_back(node);
    }
    std::sort(order.begin() + first_node[cls], order.end());
  }
  result.nodes.reserve(order.size());
  for (const NodeId node : order) {
    const ClassId cls = graph.find(node);
    const size_t number = result.nodes.size() - first_node[cls];
    SerializedGraph::Node made;
    made.id = std::to_string(cls) + "." + std::to_string(number);
    made.op = names(node);
    made.cls = index_of[cls];
    made.cost = static_cast<double>(cost(node));
    for (const ClassId child : graph.children(node)) {
      made.children.push_back(first_node[graph.find(child)]);
    }
    result.nodes.push_back(std::move(made));
  }
  for (const ClassId root : roots) result.roots.push_back(index_of[graph.find(root)]);
  return result;
}

ImportedGraph to_egraph(const SerializedGraph& graph, const std::string& file) {
  return Importer(graph, file).import();
}

CostFunction extraction_costs(const ImportedGraph& imported, const std::string& file) {
  double largest = 0;
  bool are_whole = true;
  for (NodeId node = 0; node < imported.graph.node_bound(); ++node) {
    if (!imported.graph.is_live(node)) continue;
    const double cost = imported.costs[node];
    if (cost < 0) {
      throw InputError({file, 0, 0}, "a node named " +
                                         in_quotes(imported.symbols.name(imported.graph, node)) +
                                         " has a negative cost");
    }
    largest = std::max(largest, cost);
    are_whole = are_whole && cost == std::floor(cost);
  }
  int exponent = 0;
  std::frexp(largest, &exponent);  // largest < 2^exponent
  const int shift = are_whole && exponent <= 53 ? 0 : 40 - exponent;
  return [&imported, shift](NodeId node) {
    if (imported.subsumed[node]) return kUnusable;
    return static_cast<Cost>(std::llround(std::ldexp(imported.costs[node], shift)));
  };
}

}  // namespace flipsat::egraph
