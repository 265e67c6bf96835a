#include "tests/egraph/reference/rule.h"

#include <algorithm>
#include <functional>
#include <ranges>

namespace flipsat::egraph::reference {
namespace {

void visit(const Pattern& pattern, const std::function<void(const Pattern&)>& visitor) {
  visitor(pattern);
  for (const Pattern& child : pattern.children) visit(child, visitor);
}

void insert(std::vector<std::string_view>& names, std::string_view name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

bool is_true(Guard::Asks asks, uint32_t bound, const Facts& facts) {
  switch (asks) {
    case Guard::Asks::kSizeAtMost:
      return facts.size <= bound;
    case Guard::Asks::kSizeAtLeast:
      return facts.size >= bound;
    case Guard::Asks::kHasValue:
      return (facts.values >> bound & 1) != 0;
    case Guard::Asks::kHasLetter:
      return (facts.letters >> bound & 1) != 0;
    case Guard::Asks::kPayloadIs:
    case Guard::Asks::kNodesAtLeast:
      break;
  }
  return false;
}

bool is_accepted(const Guard& guard, const Match& match) {
  if (guard.asks == Guard::Asks::kPayloadIs) return match.payload(OpVar{guard.name}) == guard.bound;
  const ClassVar variable{guard.name};
  if (guard.asks == Guard::Asks::kNodesAtLeast) {
    const ClassId cls = guard.name.empty() ? match.root() : match[variable];
    return std::ranges::distance(match.graph().nodes(cls)) >= guard.bound;
  }
  return is_true(guard.asks, guard.bound,
                 guard.name.empty() ? match.root_data<Facts>() : match.data<Facts>(variable));
}

ClassId instantiate(EGraph& graph, const Match& match, const Pattern& term) {
  if (term.form == Pattern::Form::kVariable) return match[ClassVar{term.name}];
  std::vector<ClassId> children;
  for (const Pattern& child : term.children) children.push_back(instantiate(graph, match, child));
  const bool is_bound = term.form == Pattern::Form::kBound;
  return graph.add(is_bound ? match.op(OpVar{term.name}) : term.op, children);
}

RecordedMatch record(const TestRule& rule, uint32_t index, const Match& match) {
  RecordedMatch recorded{index, match.root(), {}, {}};
  for (const auto name : rule.class_names()) recorded.classes.push_back(match[ClassVar{name}]);
  for (const auto name : rule.node_names()) recorded.nodes.push_back(match.node(OpVar{name}));
  return recorded;
}

}  // namespace

std::vector<std::string_view> TestRule::class_names() const {
  std::vector<std::string_view> names;
  for (const Pattern& pattern : patterns) {
    visit(pattern, [&](const Pattern& part) {
      insert(names, part.form == Pattern::Form::kVariable ? part.name : part.class_name);
    });
  }
  if (follow) names.push_back(kItem.name);
  return names;
}

std::vector<std::string_view> TestRule::node_names() const {
  std::vector<std::string_view> names;
  for (const Pattern& pattern : patterns) {
    visit(pattern, [&](const Pattern& part) {
      if (part.form != Pattern::Form::kVariable) insert(names, part.name);
    });
  }
  return names;
}

bool TestRule::is_fully_named() const {
  bool all = true;
  for (const Pattern& pattern : patterns) {
    visit(pattern, [&](const Pattern& part) {
      all = all && (part.form != Pattern::Form::kKind || !part.name.empty());
    });
  }
  return all;
}

namespace {

std::string text_of(const Pattern& pattern) {
  if (pattern.form == Pattern::Form::kVariable) return "?" + std::string(pattern.name);
  std::string text = pattern.form == Pattern::Form::kExact   ? "o" + std::to_string(pattern.op)
                     : pattern.form == Pattern::Form::kBound ? "="
                                                             : "k" + std::to_string(pattern.kind);
  if (!pattern.name.empty()) text += "." + std::string(pattern.name);
  if (!pattern.class_name.empty()) text += "@" + std::string(pattern.class_name);
  text += pattern.arity == Pattern::kAnyArity ? "(..." : "(";
  for (const Pattern& child : pattern.children) {
    text += (&child == &pattern.children.front() ? "" : " ") + text_of(child);
  }
  return text + ")";
}

}  // namespace

std::string TestRule::text() const {
  std::string text = name + ":";
  for (const Pattern& pattern : patterns) text += " " + text_of(pattern);
  if (follow) text += " follow " + std::string(follow->name);
  if (guard) {
    text += " guard " + std::to_string(static_cast<int>(guard->asks)) + " of " +
            std::string(guard->name) + " bound " + std::to_string(guard->bound);
  }
  if (action == Action::kLook) return text;
  text += action == Action::kEdge ? " ~> " : " => ";
  return text + (left.empty() ? "" : "?" + std::string(left) + " = ") + text_of(to.front());
}

std::string text_of(const std::vector<TestRule>& rules) {
  std::string text;
  for (const TestRule& rule : rules) text += rule.text() + "\n";
  return text;
}

bool TestRule::is_known_by_nodes() const {
  size_t parts = 0;
  for (const Pattern& pattern : patterns) {
    visit(pattern,
          [&](const Pattern& part) { parts += part.form == Pattern::Form::kVariable ? 0 : 1; });
  }
  return !follow && parts != 0 && parts == node_names().size();
}

Rule engine_rule(const TestRule& rule, uint32_t index, std::vector<RecordedMatch>* records) {
  Rule made(rule.name, rule.patterns.front());
  for (size_t i = 1; i < rule.patterns.size(); ++i) made.also(rule.patterns[i]);
  if (rule.follow) {
    made.follow({kItem}, [from = *rule.follow](const Match& match, const Rule::Found& found) {
      for (const ClassId child : match.children(from)) found({&child, 1});
    });
  }
  if (rule.guard) {
    made.where([guard = *rule.guard](const Match& match) {
      return is_accepted(guard, match) ? accept() : refuse("the guard says no");
    });
    if (rule.guard->asks == Guard::Asks::kNodesAtLeast) made.looks_elsewhere();
  }
  const bool is_union_with_root = rule.action == TestRule::Action::kEqual && rule.left.empty();
  if (is_union_with_root && records == nullptr) {
    made.to(rule.to.front());
    return made;
  }
  made.then([=](EGraph& graph, const Match& match) -> Outcome {
    if (records != nullptr) records->push_back(record(rule, index, match));
    if (rule.action == TestRule::Action::kLook) return Outcome::nothing();
    const ClassId right = instantiate(graph, match, rule.to.front());
    if (is_union_with_root) return right;
    const ClassId left = rule.left.empty() ? match.root() : match[ClassVar{rule.left}];
    if (rule.action == TestRule::Action::kEdge) {
      graph.add_edge(left, right);
    } else {
      graph.merge(left, right);
    }
    return Outcome::done();
  });
  return made;
}

// --- the naive side ---

std::vector<Binding> matches(const Graph& graph, const TestRule& rule) {
  std::vector<Binding> bindings = graph.match(rule.patterns);
  if (!rule.follow) return bindings;
  std::vector<Binding> longer;
  for (const Binding& binding : bindings) {
    for (const Id child : binding.node(rule.follow->name).children) {
      longer.push_back(binding);
      longer.back().classes.push_back({kItem.name, child});
    }
  }
  return longer;
}

bool accepts(const Graph& graph, const TestRule& rule, const Binding& binding) {
  if (!rule.guard) return true;
  const Guard& guard = *rule.guard;
  if (guard.asks == Guard::Asks::kPayloadIs) {
    return signature()[binding.node(guard.name).op].payload == guard.bound;
  }
  const Id cls = binding.cls(guard.name);
  if (guard.asks == Guard::Asks::kNodesAtLeast) return graph.nodes(cls).size() >= guard.bound;
  return is_true(guard.asks, guard.bound, graph.facts(cls));
}

namespace {

Id instantiate(Graph& graph, const Binding& binding, const Pattern& term) {
  if (term.form == Pattern::Form::kVariable) return binding.cls(term.name);
  std::vector<Id> children;
  for (const Pattern& child : term.children) {
    children.push_back(instantiate(graph, binding, child));
  }
  const bool is_bound = term.form == Pattern::Form::kBound;
  return graph.add(is_bound ? binding.node(term.name).op : term.op, children);
}

}  // namespace

void apply(Graph& graph, const TestRule& rule, const Binding& binding) {
  if (rule.action == TestRule::Action::kLook) return;
  const Id right = instantiate(graph, binding, rule.to.front());
  const Id left = binding.cls(rule.left);
  if (rule.action == TestRule::Action::kEdge) {
    graph.add_edge(left, right);
  } else {
    graph.merge(left, right);
  }
}

}  // namespace flipsat::egraph::reference
