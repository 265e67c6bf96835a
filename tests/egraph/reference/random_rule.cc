// Random rules, with patterns cut out of a graph.
#include <algorithm>
#include <array>

#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph::reference {
namespace {

constexpr std::array<std::string_view, 5> kClassNames = {"x", "y", "z", "v", "w"};
constexpr std::array<std::string_view, 5> kNodeNames = {"f", "g", "h", "k", "l"};

class PatternCutter {
 public:
  PatternCutter(Random& random, const Graph& graph) : random_(random), graph_(graph) {}

  // A pattern that the class matches, but for the few that name a variable for two classes.
  Pattern cut(Id cls, int depth, bool is_root) {
    if (!is_root && (depth == 0 || random_.one_in(3))) return variable(cls);
    return cut_node(random_.pick(graph_.nodes(cls)), cls, depth, is_root);
  }

  // A pattern for a node of or above one of the classes that the rule has a name for.
  std::optional<Pattern> cut_joined(const TestRule& rule) {
    const std::vector<std::string_view> bound = rule.class_names();
    std::vector<std::pair<std::string_view, Id>> usable;
    for (const auto& named : names_) {
      if (std::ranges::find(bound, named.first) != bound.end()) usable.push_back(named);
    }
    if (usable.empty()) return std::nullopt;
    const auto [name, cls] = random_.pick(usable);
    const std::set<Node> parents = graph_.parents(cls);
    if (parents.empty() || random_.one_in(2)) {
      return cut(cls, 1, true).as(ClassVar{name});
    }
    const Node& parent = random_.pick(parents);
    Pattern above = cut_node(parent, *graph_.lookup(parent.op, parent.children), 1, true);
    // Cut for sure with the name at the child, which may have got another one.
    for (size_t i = 0; i < above.children.size(); ++i) {
      if (parent.children[i] == cls) above.children[i] = ClassVar{name};
    }
    if (above.children.empty()) above.class_name = name;  // any arity
    return above;
  }

 private:
  Pattern variable(Id cls) { return ClassVar{class_name(cls)}; }

  std::string_view class_name(Id cls) {
    for (const auto& [name, named] : names_) {
      if (named == cls && !random_.one_in(4)) return name;
    }
    const bool is_free = names_.size() < kClassNames.size();
    const std::string_view name =
        is_free && !random_.one_in(8) ? kClassNames[names_.size()] : random_.pick(kClassNames);
    names_.push_back({name, cls});
    return name;
  }

  // Its children have no places: only a matcher looks at them.
  Pattern cut_unordered(Kind kind, Id cls) {
    std::string_view name;
    if (nodes_.size() < kNodeNames.size()) {
      name = kNodeNames[nodes_.size()];
      nodes_.push_back(name);
    }
    Pattern pattern = any_node(kind, OpVar{name});
    if (random_.one_in(3)) pattern.class_name = class_name(cls);
    return pattern;
  }

  Pattern cut_node(const Node& node, Id cls, int depth, bool is_root) {
    const Kind kind = signature()[node.op].kind;
    if (graph_.is_unordered(kind)) return cut_unordered(kind, cls);
    const bool is_exact = random_.one_in(node.children.empty() ? 1 + random_.below(2) : 3);
    const bool is_named = nodes_.size() < kNodeNames.size() && !random_.one_in(3);
    if (is_named && !is_exact) nodes_.push_back(kNodeNames[nodes_.size()]);
    const std::string_view name = is_named && !is_exact ? nodes_.back() : std::string_view();
    // The class is named first, so that children may be about it.
    const bool has_class_name = random_.one_in(is_root ? 8 : 4);
    const std::string_view of_class = has_class_name ? class_name(cls) : std::string_view();
    Pattern pattern = ClassVar{};
    const bool is_any = !name.empty() && (node.children.size() > 6 || random_.one_in(10));
    if (is_any) {
      pattern = any_node(kind, OpVar{name});
    } else {
      std::vector<Pattern> children;
      // Nodes below every child of a wide node could match in a great many ways.
      const int below = node.children.size() > 3 ? 0 : std::max(0, depth - 1);
      for (const Id child : node.children) children.push_back(cut(child, below, false));
      if (is_exact) {
        pattern = exact(node.op, std::move(children));
      } else if (name.empty()) {
        pattern = egraph::node(kind, std::move(children));
      } else {
        pattern = egraph::node(kind, OpVar{name}, std::move(children));
      }
    }
    pattern.class_name = of_class;
    return pattern;
  }

  Random& random_;
  const Graph& graph_;
  std::vector<std::pair<std::string_view, Id>> names_;
  std::vector<std::string_view> nodes_;
};

Pattern random_term(Random& random, const TestRule& rule, int depth) {
  const std::vector<std::string_view> names = rule.class_names();
  const std::vector<std::string_view> nodes = rule.node_names();
  if (!names.empty() && (depth == 0 || random.one_in(3))) return ClassVar{random.pick(names)};
  if (depth == 0) return exact(operator_of(kLeaf, random.below(6)));
  if (random.one_in(6)) return exact(operator_of(kNumber, random.below(4)));
  std::vector<Pattern> children(1 + random.below(2), ClassVar{});
  if (random.one_in(8)) children.resize(random.below(6), ClassVar{});
  for (Pattern& child : children) child = random_term(random, rule, depth - 1);
  if (!nodes.empty() && random.one_in(3)) {
    return same(OpVar{random.pick(nodes)}, std::move(children));
  }
  const bool is_binary = children.size() == 2;
  const bool is_unary = children.size() == 1;
  const OperatorId op = is_binary  ? operator_of(random.one_in(2) ? kAdd : kMul)
                        : is_unary ? operator_of(kNeg, random.below(2))
                                   : operator_of(kMany);
  return exact(op, std::move(children));
}

// The root's term over with its children turned round, as commutativity does.
std::optional<Pattern> turned_root(const TestRule& rule) {
  const Pattern& root = rule.patterns.front();
  if (root.children.size() < 2 || root.form == Pattern::Form::kVariable) return std::nullopt;
  if (root.form == Pattern::Form::kKind && root.name.empty()) return std::nullopt;
  std::vector<Pattern> turned(root.children.rbegin(), root.children.rend());
  for (Pattern& child : turned) {
    const bool has_node = child.form != Pattern::Form::kVariable;
    if (has_node && child.class_name.empty()) return std::nullopt;
    if (has_node) child = ClassVar{child.class_name};
  }
  if (root.form == Pattern::Form::kExact) return exact(root.op, std::move(turned));
  return same(OpVar{root.name}, std::move(turned));
}

std::optional<Guard> random_guard(Random& random, const TestRule& rule, FactsMode mode,
                                  bool only_growing) {
  const std::vector<std::string_view> names = rule.class_names();
  const std::vector<std::string_view> nodes = rule.node_names();
  Guard guard;
  guard.name = names.empty() || random.one_in(3) ? std::string_view() : random.pick(names);
  if (!nodes.empty() && random.one_in(6)) return Guard{Guard::Asks::kPayloadIs, random.pick(nodes)};
  if (random.one_in(5)) {
    guard.asks = Guard::Asks::kNodesAtLeast;
    guard.bound = 2;
    // Merges of doubles take nodes away.
    return only_growing ? std::nullopt : std::optional(guard);
  }
  if (mode == FactsMode::kNone) return std::nullopt;
  switch (random.below(mode == FactsMode::kGiven ? 1 : 5)) {
    case 0:
      guard.asks = Guard::Asks::kHasLetter;
      guard.bound = random.below(6);
      break;
    case 1:
      guard.asks = Guard::Asks::kHasValue;
      guard.bound = random.below(4);
      break;
    case 2:
      guard.asks = only_growing ? Guard::Asks::kSizeAtMost : Guard::Asks::kSizeAtLeast;
      guard.bound = 2 + random.below(4);
      break;
    default:
      guard.asks = Guard::Asks::kSizeAtMost;
      guard.bound = 1 + random.below(4);
  }
  return guard;
}

}  // namespace

TestRule random_rule(Random& random, const Twins& twins, uint32_t index, const RuleShape& shape) {
  const Graph& graph = twins.naive;
  PatternCutter cutter(random, graph);
  TestRule rule;
  rule.name = "rule" + std::to_string(index);
  if (random.one_in(25)) {
    rule.patterns.push_back(ClassVar{kClassNames.front()});  // any class
  } else {
    rule.patterns.push_back(cutter.cut(random.pick(graph.classes()), random.below(4), true));
    while (rule.patterns.size() < 3 && random.one_in(4)) {
      auto joined = cutter.cut_joined(rule);
      if (!joined) break;
      rule.patterns.push_back(std::move(*joined));
    }
  }
  const std::vector<std::string_view> nodes = rule.node_names();
  if (!nodes.empty() && random.one_in(6)) rule.follow = OpVar{random.pick(nodes)};
  if (random.one_in(2)) {
    rule.guard = random_guard(random, rule, twins.mode, shape.only_growing_guards);
  }
  rule.to.push_back(random_term(random, rule, 1 + random.below(2)));
  if (random.one_in(3)) {
    if (auto turned = turned_root(rule)) rule.to.front() = std::move(*turned);
  }
  const std::vector<std::string_view> names = rule.class_names();
  if (!names.empty() && random.one_in(6)) rule.left = random.pick(names);
  if (random.one_in(6) && shape.may_add_edges) rule.action = TestRule::Action::kEdge;
  if (shape.only_look) rule.action = TestRule::Action::kLook;
  return rule;
}

}  // namespace flipsat::egraph::reference
