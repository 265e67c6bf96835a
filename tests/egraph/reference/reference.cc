#include "tests/egraph/reference/reference.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace flipsat::egraph::reference {

Id Binding::cls(std::string_view name) const {
  if (name.empty()) return root;
  for (const auto& [bound, cls] : classes) {
    if (bound == name) return cls;
  }
  throw std::logic_error("reference: no class is bound to " + std::string(name));
}

const Node& Binding::node(std::string_view name) const {
  for (const auto& [bound, node] : nodes) {
    if (bound == name) return node;
  }
  throw std::logic_error("reference: no node is bound to " + std::string(name));
}

Id Graph::add(OperatorId op, std::vector<Id> children, const std::optional<Facts>& given) {
  const Node node = canonical({op, std::move(children)});
  if (const auto there = lookup(node.op, node.children)) {
    if (given) classes_[*there].facts = join(classes_[*there].facts, *given);
    return *there;
  }
  const Id name = static_cast<Id>(classes_.size());
  classes_.push_back({{node}, given ? *given : make(node)});
  class_of_.push_back(name);
  ++changes_;
  return name;
}

bool Graph::merge(Id a, Id b) {
  const Id kept = find(a);
  const Id gone = find(b);
  if (kept == gone) return false;
  for (Id& cls : class_of_) {
    if (cls == gone) cls = kept;
  }
  classes_[kept].nodes.merge(classes_[gone].nodes);
  classes_[gone].nodes.clear();
  classes_[kept].facts = join(classes_[kept].facts, classes_[gone].facts);
  ++changes_;
  return true;
}

void Graph::rebuild() {
  uint64_t before = 0;
  do {
    before = changes_;
    while (restore_congruence() || settle_facts()) {
    }
    grant_wishes();
  } while (changes_ != before);
}

// One pass: renames children everywhere, then merges classes that hold the same node.
bool Graph::restore_congruence() {
  for (Class& cls : classes_) {
    std::set<Node> renamed;
    for (const Node& node : cls.nodes) renamed.insert(canonical(node));
    cls.nodes = std::move(renamed);
  }
  std::map<Node, Id> homes;
  std::vector<std::pair<Id, Id>> equal;
  for (const Id cls : classes()) {
    for (const Node& node : nodes(cls)) {
      const auto [home, is_new] = homes.try_emplace(node, cls);
      if (!is_new) equal.push_back({home->second, cls});
    }
  }
  for (const auto& [a, b] : equal) merge(a, b);
  return !equal.empty();
}

// One pass: joins what all nodes say into their classes' facts.
bool Graph::settle_facts() {
  if (mode_ == FactsMode::kNone || mode_ == FactsMode::kGiven) return false;
  bool changed = false;
  for (const Id cls : classes()) {
    for (const Node& node : nodes(cls)) {
      const Facts joined = join(facts(cls), make(node));
      changed = changed || joined != facts(cls);
      classes_[cls].facts = joined;
    }
  }
  return changed;
}

void Graph::grant_wishes() {
  for (const Id cls : classes()) {
    for (const Wish& wish : wishes_for(mode_, facts(cls))) {
      if (wish.is_above) {
        add(wish.op, {cls});
      } else {
        merge(cls, add(wish.op, {}));
      }
    }
  }
}

Facts Graph::make(const Node& node) const {
  std::vector<Facts> children;
  for (const Id child : node.children) children.push_back(facts(child));
  return make_facts(mode_, signature()[node.op], children);
}

Node Graph::canonical(Node node) const {
  for (Id& child : node.children) child = find(child);
  if (is_unordered(signature()[node.op].kind)) std::ranges::sort(node.children);
  return node;
}

std::vector<Id> Graph::classes() const {
  std::vector<Id> canonical;
  for (Id name = 0; name < class_of_.size(); ++name) {
    if (find(name) == name) canonical.push_back(name);
  }
  return canonical;
}

std::set<Node> Graph::parents(Id cls) const {
  std::set<Node> found;
  for (const Id above : classes()) {
    for (const Node& node : nodes(above)) {
      if (std::ranges::count(node.children, find(cls)) != 0) found.insert(node);
    }
  }
  return found;
}

std::set<Id> Graph::edges(Id from) const {
  std::set<Id> targets;
  for (const auto& [a, b] : edges_) {
    if (find(a) == find(from) && find(b) != find(from)) targets.insert(find(b));
  }
  return targets;
}

std::optional<Id> Graph::lookup(OperatorId op, std::vector<Id> children) const {
  const Node wanted = canonical({op, std::move(children)});
  for (const Id cls : classes()) {
    if (nodes(cls).count(wanted) != 0) return cls;
  }
  return std::nullopt;
}

size_t Graph::node_count() const {
  size_t count = 0;
  for (const Class& cls : classes_) count += cls.nodes.size();
  return count;
}

// --- matching ---

std::vector<Binding> Graph::match(const std::vector<Pattern>& patterns) const {
  std::vector<Binding> bindings;
  for (const Id root : classes()) {
    for (Binding& binding : match_at(patterns.front(), root, {root, {}, {}})) {
      bindings.push_back(std::move(binding));
    }
  }
  for (size_t i = 1; i < patterns.size(); ++i) {
    std::vector<Binding> longer;
    for (const Binding& binding : bindings) {
      for (const Id anywhere : classes()) {
        for (Binding& way : match_at(patterns[i], anywhere, binding)) {
          longer.push_back(std::move(way));
        }
      }
    }
    bindings = std::move(longer);
  }
  return bindings;
}

namespace {

// Binds the name, or checks what it is bound to.
bool bind(Binding& binding, std::string_view name, Id cls) {
  for (const auto& [bound, to] : binding.classes) {
    if (bound == name) return to == cls;
  }
  binding.classes.push_back({name, cls});
  return true;
}

}  // namespace

std::vector<Binding> Graph::match_at(const Pattern& pattern, Id cls, const Binding& so_far) const {
  Binding start = so_far;
  const bool is_variable = pattern.form == Pattern::Form::kVariable;
  const std::string_view class_name = is_variable ? pattern.name : pattern.class_name;
  if (!class_name.empty() && !bind(start, class_name, cls)) return {};
  if (is_variable) return {start};

  std::vector<Binding> all;
  for (const Node& node : nodes(cls)) {
    if (!fits(pattern, node)) continue;
    std::vector<Binding> ways = {start};
    if (!pattern.name.empty()) ways.front().nodes.push_back({pattern.name, node});
    for (size_t i = 0; i < pattern.children.size(); ++i) {
      std::vector<Binding> longer;
      for (const Binding& way : ways) {
        for (Binding& more : match_at(pattern.children[i], node.children[i], way)) {
          longer.push_back(std::move(more));
        }
      }
      ways = std::move(longer);
    }
    for (Binding& way : ways) all.push_back(std::move(way));
  }
  return all;
}

bool Graph::fits(const Pattern& pattern, const Node& node) const {
  if (pattern.arity != Pattern::kAnyArity && pattern.arity != node.children.size()) return false;
  if (pattern.form == Pattern::Form::kExact) return pattern.op == node.op;
  return pattern.kind == signature()[node.op].kind;
}

}  // namespace flipsat::egraph::reference
