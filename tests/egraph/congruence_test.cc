// Random merges against a plain congruence closure.
#include <map>
#include <random>

#include "egraph/egraph.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

struct Node {
  OperatorId op;
  std::vector<NodeId> children;  // as added
};

// Names of classes by node, closed by going over everything until nothing changes.
class PlainClosure {
 public:
  explicit PlainClosure(const std::vector<Node>& nodes) : nodes_(nodes), name_(nodes.size()) {
    for (NodeId node = 0; node < nodes.size(); ++node) name_[node] = node;
  }
  void merge(NodeId a, NodeId b) {
    const NodeId from = name_[a];
    const NodeId to = name_[b];
    for (NodeId& name : name_) name = name == from ? to : name;
  }
  void close() {
    for (bool changed = true; changed;) {
      changed = false;
      std::map<std::pair<OperatorId, std::vector<NodeId>>, NodeId> seen;
      for (NodeId node = 0; node < nodes_.size(); ++node) {
        std::vector<NodeId> children;
        for (const NodeId child : nodes_[node].children) children.push_back(name_[child]);
        const auto [it, is_new] = seen.try_emplace({nodes_[node].op, children}, node);
        if (is_new || name_[it->second] == name_[node]) continue;
        merge(node, it->second);
        changed = true;
      }
      distinct_ = seen.size();
    }
  }
  NodeId name(NodeId node) const { return name_[node]; }
  size_t distinct() const { return distinct_; }

 private:
  const std::vector<Node>& nodes_;
  std::vector<NodeId> name_;
  size_t distinct_ = 0;
};

void compare_with_plain_closure(uint32_t seed) {
  std::mt19937 random(seed);
  EGraph graph;
  std::vector<Node> nodes;
  while (nodes.size() < 60) {
    const auto kind = static_cast<Kind>(nodes.size() < 6 ? 0 : 1 + random() % 3);
    Node node{graph.intern(kind, kind == 0 ? static_cast<uint32_t>(nodes.size()) : random() % 2),
              {}};
    for (Kind i = 0; i < kind; ++i) node.children.push_back(random() % nodes.size());
    if (graph.lookup(node.op, node.children).has_value()) continue;
    REQUIRE(graph.add(node.op, node.children) == nodes.size());
    nodes.push_back(node);
  }
  PlainClosure plain(nodes);
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 3; ++i) {
      const NodeId a = random() % nodes.size();
      const NodeId b = random() % nodes.size();
      graph.merge(a, b);
      plain.merge(a, b);
    }
    graph.rebuild();
    plain.close();
    graph.check();
    REQUIRE(graph.node_count() == plain.distinct());
    for (NodeId a = 0; a < nodes.size(); ++a) {
      for (NodeId b = 0; b < a; ++b) {
        REQUIRE((graph.find(a) == graph.find(b)) == (plain.name(a) == plain.name(b)));
      }
    }
  }
}

TEST_CASE("congruence: random merges give what a plain closure gives") {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    compare_with_plain_closure(seed);
  }
}

}  // namespace
}  // namespace flipsat::egraph
