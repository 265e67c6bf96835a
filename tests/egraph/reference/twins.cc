#include "tests/egraph/reference/twins.h"

#include <algorithm>
#include <ranges>
#include <stdexcept>

namespace flipsat::egraph::reference {

Twins::Twins(FactsMode mode) : mode(mode), engine(facts_analysis(mode)), naive(mode) {
  for (OperatorId op = 0; op < signature().size(); ++op) {
    if (engine.intern(signature()[op].kind, signature()[op].payload) != op) {
      throw std::logic_error("operator ids are not given in order");
    }
  }
}

Twins::Twins(const Twins& other, EGraph&& engine)
    : mode(other.mode),
      engine(std::move(engine)),
      naive(other.naive),
      names_(other.names_),
      has_merged_(other.has_merged_) {}

void Twins::declare_unordered(Kind kind) {
  engine.declare_unordered(kind);
  naive.declare_unordered(kind);
}

Twins::Checkpoint Twins::checkpoint() const { return {naive, handles(), has_merged_}; }

void Twins::restore(const Checkpoint& checkpoint) {
  naive = checkpoint.naive;
  names_.resize(checkpoint.handles);
  has_merged_ = checkpoint.has_merged;
}

Twins::Handle Twins::add(OperatorId op, const std::vector<Handle>& children,
                         const std::optional<Facts>& given) {
  std::vector<ClassId> for_engine;
  std::vector<Id> for_naive;
  for (const Handle child : children) {
    for_engine.push_back(names_[child].engine);
    for_naive.push_back(names_[child].naive);
  }
  const Names added{given ? engine.add(op, std::span<const ClassId>(for_engine), *given)
                          : engine.add(op, std::span<const ClassId>(for_engine)),
                    naive.add(op, for_naive, given)};
  names_.push_back(added);
  return handles() - 1;
}

bool Twins::merge(Handle a, Handle b) {
  const bool by_engine = engine.merge(names_[a].engine, names_[b].engine);
  const bool by_naive = naive.merge(names_[a].naive, names_[b].naive);
  const bool agree = has_merged_ || by_engine == by_naive;
  has_merged_ = true;
  return agree;
}

void Twins::add_edge(Handle from, Handle to) {
  engine.add_edge(names_[from].engine, names_[to].engine);
  naive.add_edge(names_[from].naive, names_[to].naive);
}

void Twins::rebuild() {
  engine.rebuild();
  naive.rebuild();
  has_merged_ = false;
}

Node Twins::node_of(NodeId node) const {
  Node result{engine.op(node), {}};
  for (const ClassId child : engine.children(node)) {
    result.children.push_back(naive_of_.at(engine.find(child)));
  }
  return naive.canonical(std::move(result));
}

// --- comparing ---

std::string Twins::difference() {
  has_merged_ = false;
  engine.check();
  if (engine.node_count() != naive.node_count()) {
    return "live nodes: " + std::to_string(engine.node_count()) + ", reference " +
           std::to_string(naive.node_count());
  }
  if (engine.class_count() != naive.classes().size()) {
    return "classes: " + std::to_string(engine.class_count()) + ", reference " +
           std::to_string(naive.classes().size());
  }
  std::string found = pair_classes();
  if (found.empty()) found = compare_handles();
  if (!found.empty()) return found;
  for (const Id cls : naive.classes()) {
    found = compare_class(cls);
    if (!found.empty()) return found + " (class " + std::to_string(engine_of_.at(cls)) + ")";
  }
  std::vector<ClassId> classes;
  for (const auto& [cls, unused] : naive_of_) classes.push_back(cls);
  if (engine.classes() != classes) return "the list of classes";
  return {};
}

// From the leaves up, which reaches all classes, as each has a finite term.
std::string Twins::pair_classes() {
  engine_of_.clear();
  naive_of_.clear();
  std::vector<std::pair<Id, Node>> waiting;
  for (const Id cls : naive.classes()) {
    for (const Node& node : naive.nodes(cls)) waiting.push_back({cls, node});
  }
  while (!waiting.empty()) {
    std::vector<std::pair<Id, Node>> still;
    for (auto& [cls, node] : waiting) {
      std::vector<ClassId> children;
      for (const Id child : node.children) {
        const auto known = engine_of_.find(child);
        if (known != engine_of_.end()) children.push_back(known->second);
      }
      if (children.size() != node.children.size()) {
        still.push_back({cls, std::move(node)});
        continue;
      }
      const auto there = engine.lookup(node.op, std::span<const ClassId>(children));
      if (!there) return "look-up misses a node of operator " + std::to_string(node.op);
      if (engine_of_.try_emplace(cls, *there).first->second != *there) return "classes are apart";
      if (naive_of_.try_emplace(*there, cls).first->second != cls) return "classes are merged";
    }
    if (still.size() == waiting.size()) return "a class of the reference has no finite term";
    waiting = std::move(still);
  }
  return {};
}

std::string Twins::compare_handles() const {
  for (const Names& names : names_) {
    if (engine_of_.at(naive.find(names.naive)) != engine.find(names.engine)) {
      return "a term is in another class";
    }
  }
  return {};
}

std::string Twins::compare_class(Id cls) const {
  const ClassId here = engine_of_.at(cls);
  const auto are = [&](const auto& engine_nodes, const std::set<Node>& expected) {
    std::vector<Node> nodes;
    for (const NodeId node : engine_nodes) nodes.push_back(node_of(node));
    std::ranges::sort(nodes);
    return std::ranges::equal(nodes, expected);
  };
  if (!are(engine.nodes(here), naive.nodes(cls))) return "nodes of a class";
  if (!are(engine.parents(here), naive.parents(cls))) return "parents of a class";
  for (const NodeId node : engine.nodes(here)) {
    if (engine.find(node) != here || !engine.is_live(node)) return "a node in a foreign class";
    for (const ClassId child : engine.children(node)) {
      if (engine.find(child) != child) return "a child by an old name";
    }
  }
  if (mode != FactsMode::kNone && engine.data<Facts>(here) != naive.facts(cls)) {
    return "class data";
  }
  std::vector<Id> targets;
  for (const Edge& edge : engine.edges(here)) {
    const auto target = naive_of_.find(edge.to);
    if (target == naive_of_.end()) return "an edge to a class by an old name";
    targets.push_back(target->second);
  }
  std::ranges::sort(targets);
  if (!std::ranges::equal(targets, naive.edges(cls))) return "edges of a class";
  return {};
}

// --- matches ---

Row Twins::row_of(const RecordedMatch& match) const {
  Row row{match.rule, {naive_of_.at(engine.find(match.root))}, {}};
  for (const ClassId cls : match.classes) row.classes.push_back(naive_of_.at(engine.find(cls)));
  for (const NodeId node : match.nodes) row.nodes.push_back(node_of(node));
  return row;
}

Row Twins::row_of(uint32_t rule, const TestRule& shape, const Binding& binding) const {
  Row row{rule, {binding.root}, {}};
  for (const auto name : shape.class_names()) row.classes.push_back(binding.cls(name));
  for (const auto name : shape.node_names()) row.nodes.push_back(binding.node(name));
  return canonical(std::move(row));
}

Row Twins::canonical(Row row) const {
  for (Id& cls : row.classes) cls = naive.find(cls);
  for (Node& node : row.nodes) node = naive.canonical(std::move(node));
  return row;
}

}  // namespace flipsat::egraph::reference
