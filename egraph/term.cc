#include "egraph/term.h"

#include <stdexcept>
#include <string>

namespace flipsat::egraph {

Term::Term(const Pattern& pattern, const RowLayout& layout) : width_(layout.width()) {
  root_ = compile(pattern, layout);
}

uint32_t Term::compile(const Pattern& pattern, const RowLayout& layout) {
  if (pattern.form == Pattern::Form::kVariable) return layout.column(ClassVar{pattern.name});
  if (pattern.form == Pattern::Form::kKind || !pattern.class_name.empty()) {
    throw std::logic_error("rule " + std::string(layout.rule) +
                           ": a node of the right side is neither `exact` nor `same`");
  }
  std::vector<uint32_t> children;
  for (const Pattern& child : pattern.children) children.push_back(compile(child, layout));

  Node node;
  node.is_bound = pattern.form == Pattern::Form::kBound;
  node.op = node.is_bound ? layout.column(OpVar{pattern.name}) : pattern.op;
  node.first_child = static_cast<uint32_t>(values_.size());
  node.children = static_cast<uint32_t>(children.size());
  values_.insert(values_.end(), children.begin(), children.end());
  nodes_.push_back(node);
  return width_ + static_cast<uint32_t>(nodes_.size()) - 1;
}

bool Term::add_to_root(EGraph& graph, const uint32_t* row, std::vector<ClassId>& scratch) const {
  if (nodes_.empty()) return graph.merge(row[0], row[root_]);
  // Results first, then the children of the node at hand.
  scratch.clear();
  for (const Node& node : nodes_) {
    const size_t results = scratch.size();
    for (uint32_t i = 0; i < node.children; ++i) {
      const uint32_t value = values_[node.first_child + i];
      scratch.push_back(value < width_ ? row[value] : scratch[value - width_]);
    }
    const OperatorId op = node.is_bound ? graph.op(row[node.op]) : node.op;
    const std::span<const ClassId> children = std::span<const ClassId>(scratch).subspan(results);
    if (&node == &nodes_.back()) return graph.add_to(row[0], op, children);
    const ClassId cls = graph.add(op, children);
    scratch.resize(results);
    scratch.push_back(cls);
  }
  return false;
}

}  // namespace flipsat::egraph
