// One match of a rule, as guards and right-hand sides see it.
#pragma once

#include <string_view>
#include <vector>

#include "egraph/egraph.h"
#include "egraph/ids.h"
#include "egraph/pattern.h"

namespace flipsat::egraph {

// Where a rule's variables stand in its match rows. Column 0 is the root class; then the class
// variables; then the named nodes.
struct RowLayout {
  std::string_view rule;                  // for messages
  std::vector<std::string_view> classes;  // column 1 + i
  std::vector<std::string_view> nodes;    // column 1 + classes.size() + i

  uint32_t width() const { return static_cast<uint32_t>(1 + classes.size() + nodes.size()); }
  // Throw std::logic_error for a name that the rule's patterns do not bind.
  uint32_t column(ClassVar variable) const;
  uint32_t column(OpVar variable) const;
  uint32_t column_of(std::string_view name) const;  // of either
};

class Match {
 public:
  Match(const EGraph& graph, const RowLayout& layout, const uint32_t* row)
      : graph_(graph), layout_(layout), row_(row) {}

  const EGraph& graph() const { return graph_; }
  // The class that the (first) pattern matched, under its present canonical name.
  ClassId root() const { return graph_.find(row_[0]); }
  ClassId operator[](ClassVar variable) const {
    return graph_.find(row_[layout_.column(variable)]);
  }

  ClassId operator[](OpVar variable) const { return graph_.find(node(variable)); }
  NodeId node(OpVar variable) const { return row_[layout_.column(variable)]; }
  OperatorId op(OpVar variable) const { return graph_.op(node(variable)); }
  uint32_t payload(OpVar variable) const { return graph_.payload(node(variable)); }
  std::span<const ClassId> children(OpVar variable) const {
    return graph_.children(node(variable));
  }

  template <class Data>
  const Data& data(ClassVar variable) const {
    return graph_.data<Data>(row_[layout_.column(variable)]);
  }
  // Of the class that the node is in.
  template <class Data>
  const Data& data(OpVar variable) const {
    return graph_.data<Data>(node(variable));
  }
  template <class Data>
  const Data& root_data() const {
    return graph_.data<Data>(row_[0]);
  }

 private:
  const EGraph& graph_;
  const RowLayout& layout_;
  const uint32_t* row_;
};

}  // namespace flipsat::egraph
