// Rules of random tests: plain data, from which both the engine's rule and the naive run are made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egraph/rule.h"
#include "tests/egraph/reference/reference.h"

namespace flipsat::egraph::reference {

struct Guard {
  enum class Asks : uint8_t {
    kSizeAtMost,
    kSizeAtLeast,  // becomes false while the graph grows: no fix-point is independent of order
    kHasValue,
    kHasLetter,
    kPayloadIs,     // of a named node
    kNodesAtLeast,  // of the class: looks elsewhere
  };
  Asks asks = Asks::kSizeAtMost;
  std::string_view name;  // of the class variable or the node; empty: the root
  uint32_t bound = 0;
};

struct TestRule {
  std::string name;
  std::vector<Pattern> patterns;
  // A C++ matcher goes on from this node: it binds kItem to each of its children in turn.
  std::optional<OpVar> follow;
  std::optional<Guard> guard;

  enum class Action : uint8_t {
    kEqual,  // `left` equals `to`
    kEdge,   // `left` may be replaced by `to`
    kLook,   // nothing, but matches are recorded
  };
  Action action = Action::kEqual;
  std::string_view left;  // a class variable; empty: the root
  std::vector<Pattern> to;

  // What a match binds, in the order of its columns.
  std::vector<std::string_view> class_names() const;
  std::vector<std::string_view> node_names() const;
  // Whether two ways to match must differ in what they bind: all nodes of a kind have names.
  bool is_fully_named() const;
  // Whether these names alone tell matches apart: all nodes have one. (The classes of two matches
  // may have become equal before a right-hand side sees them.)
  bool is_known_by_nodes() const;
  // Name, patterns and what else there is, for messages: "rule1: k3.f(?x o6()) ...". A node of
  // a kind is `k`, an operator `o`, any children `...`, a bound operator `=`, its class `@`.
  std::string text() const;
};
std::string text_of(const std::vector<TestRule>& rules);  // a line each
inline constexpr ClassVar kItem{"item"};

// A match as the engine gave it to a right-hand side.
struct RecordedMatch {
  uint32_t rule = 0;
  ClassId root = kNoId;
  std::vector<ClassId> classes;
  std::vector<NodeId> nodes;
};

// The rule for the engine. With `records`, the right-hand side is code that also writes down each
// match under the number `index`; both must outlive the rule.
Rule engine_rule(const TestRule& rule, uint32_t index, std::vector<RecordedMatch>* records);

// All bindings, before the guard.
std::vector<Binding> matches(const Graph& graph, const TestRule& rule);
bool accepts(const Graph& graph, const TestRule& rule, const Binding& binding);
// Runs the right-hand side.
void apply(Graph& graph, const TestRule& rule, const Binding& binding);

}  // namespace flipsat::egraph::reference
