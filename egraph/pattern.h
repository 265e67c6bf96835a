// Patterns: terms with holes.
//
//   const ClassVar x{"x"}, starts{"starts"};
//   const OpVar g{"g"}, s{"s"};
//   node(kSlice, s, {node(kGather, g, {x}), starts})
//
// matches every class that has a node of kind kSlice with exactly two children, of which the first
// is a class with a kGather node of one child. It binds the classes x and starts, and the matched
// nodes s and g, through which guards look at operators and payloads.
//
// `node(...).as(y)` also names the class of an inner node.
//
// A variable that stands twice means the same class twice. Variables are known by name; declare
// them once as constants beside the rules.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "egraph/ids.h"

namespace flipsat::egraph {

// A hole for a class.
struct ClassVar {
  std::string_view name;  // must outlive the rules: a literal
  bool operator==(const ClassVar&) const = default;
};

// A name for a matched node, and with it for its operator.
struct OpVar {
  std::string_view name;
  bool operator==(const OpVar&) const = default;
};

struct Pattern {
  enum class Form : uint8_t {
    kVariable,  // any class
    kKind,      // a node of `kind`
    kExact,     // a node of operator `op`
    kBound,     // right-hand sides only: the operator that `name` matched
  };
  static constexpr uint32_t kAnyArity = UINT32_MAX;

  Pattern(ClassVar variable)
      : form(Form::kVariable), name(variable.name) {}  // NOLINT: a hole is a pattern
  Pattern(Form form, Kind kind, OperatorId op, std::string_view name, uint32_t arity,
          std::vector<Pattern> children)
      : form(form), kind(kind), op(op), arity(arity), name(name), children(std::move(children)) {}

  // Also binds the class of this node, so that guards can look at its data and other patterns of
  // the rule can be about the same class.
  Pattern as(ClassVar variable) && {
    class_name = variable.name;
    return std::move(*this);
  }

  Form form;
  Kind kind = 0;
  OperatorId op = kNoId;
  uint32_t arity = 0;
  std::string_view name;        // of the variable, or of the node; empty where it has none
  std::string_view class_name;  // of the node's class; empty where it has none
  std::vector<Pattern> children;
};

// A node of a kind with these children. Not for unordered kinds, whose children have no places: the
// rule is refused when it is compiled (std::logic_error); use `any_node`.
inline Pattern node(Kind kind, std::vector<Pattern> children = {}) {
  const auto arity = static_cast<uint32_t>(children.size());
  return {Pattern::Form::kKind, kind, kNoId, {}, arity, std::move(children)};
}
inline Pattern node(Kind kind, OpVar name, std::vector<Pattern> children = {}) {
  const auto arity = static_cast<uint32_t>(children.size());
  return {Pattern::Form::kKind, kind, kNoId, name.name, arity, std::move(children)};
}

// A node of a kind with any number of children, which a C++ matcher or guard looks at itself.
inline Pattern any_node(Kind kind, OpVar name) {
  return {Pattern::Form::kKind, kind, kNoId, name.name, Pattern::kAnyArity, {}};
}

// A node of exactly this operator, payload included.
inline Pattern exact(OperatorId op, std::vector<Pattern> children = {}) {
  const auto arity = static_cast<uint32_t>(children.size());
  return {Pattern::Form::kExact, 0, op, {}, arity, std::move(children)};
}

// On a right-hand side: a node of the operator that the left side matched under this name.
inline Pattern same(OpVar name, std::vector<Pattern> children = {}) {
  const auto arity = static_cast<uint32_t>(children.size());
  return {Pattern::Form::kBound, 0, kNoId, name.name, arity, std::move(children)};
}

}  // namespace flipsat::egraph
