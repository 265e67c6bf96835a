#include "egraph/term.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include <boost/container/small_vector.hpp>

namespace flipsat::egraph {

Term::Term(const Pattern& pattern, const RowLayout& layout) : columns_(layout.width()) {
  root_ = compile(pattern, layout);
}

uint32_t Term::compile(const Pattern& pattern, const RowLayout& layout) {
  if (pattern.form == Pattern::Form::kVariable) return layout.column(ClassVar{pattern.name});
  if (!pattern.class_name.empty()) {
    throw std::logic_error("rule " + std::string(layout.rule) + ": `.as` stands on the right side");
  }
  if (pattern.form == Pattern::Form::kKind) {
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
  return columns_ + static_cast<uint32_t>(nodes_.size()) - 1;
}

size_t Term::drop_known(const EGraph& graph, uint32_t* rows, size_t count, uint32_t width) const {
  size_t kept = 0;
  for (size_t begin = 0; begin < count; begin += kBatch) {
    const size_t batch = std::min<size_t>(kBatch, count - begin);
    const size_t left = drop_batch(graph, rows + begin * width, batch, width);
    std::copy_n(rows + begin * width, left * width, rows + kept * width);
    kept += left;
  }
  return kept;
}

size_t Term::drop_batch(const EGraph& graph, uint32_t* rows, size_t count, uint32_t width) const {
  // Class of each node of the term, by row; kNoId where it is not there.
  boost::container::small_vector<std::array<ClassId, kBatch>, 4> results(
      nodes_.size(), boost::container::default_init);
  for (size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    std::array<ClassId, kBatch>& result = results[n];
    const auto column = [&](uint32_t i) {
      return this->column(values_[node.first_child + i], rows, width, results.data());
    };
    const auto op = [&](size_t row) {
      return node.is_bound ? graph.op(rows[row * width + node.op]) : node.op;
    };
    if (node.children > 2 || node.children == 0 || !graph.is_unordered_.empty()) {
      boost::container::small_vector<ClassId, 8> children;
      for (size_t row = 0; row < count; ++row) {
        children.clear();
        for (uint32_t i = 0; i < node.children; ++i) {
          children.push_back(column(i)[row]);
        }
        const bool all_there = std::ranges::count(children, kNoId) == 0;
        const NodeId there =
            all_there ? graph.find_node(op(row), {children.data(), children.size()}) : kNoId;
        result[row] = there == kNoId ? kNoId : graph.find(there);
      }
      continue;
    }
    const bool has_second = node.children > 1;
    const Column first = column(0), second = has_second ? column(1) : Column{};
    for (size_t row = 0; row < count; ++row) {
      const ClassId a = first[row];
      const ClassId b = has_second ? second[row] : kNoId;
      const bool all_there = a != kNoId && (!has_second || b != kNoId);
      const NodeId there =
          all_there ? graph.find_node(EGraph::narrow_key(op(row), a, b), {}) : kNoId;
      result[row] = there == kNoId ? kNoId : graph.find(there);
    }
  }

  const Column right = column(root_, rows, width, results.data());
  size_t kept = 0;
  for (size_t row = 0; row < count; ++row) {
    if (right[row] == rows[row * width]) continue;
    if (kept != row) {
      for (uint32_t i = 0; i < width; ++i) rows[kept * width + i] = rows[row * width + i];
    }
    ++kept;
  }
  return kept;
}

// Rows that are added together, level by level. (Asking for memory some rows ahead was tried, in
// three passes over the keys, and cost more than it brought: the rows are independent, and the
// processor looks ahead by itself.)
class Term::Batch {
 public:
  Batch(const Term& term, EGraph& graph, const uint32_t* rows, size_t count, uint32_t width)
      : term_(term),
        graph_(graph),
        rows_(rows),
        count_(count),
        width_(width),
        results_(term.nodes_.size(), boost::container::default_init) {}

  size_t run() {
    for (size_t n = 0; n + 1 < term_.nodes_.size(); ++n) add_inner(n);
    return term_.nodes_.empty() ? unite_roots() : add_roots();
  }

 private:
  Column column(const Node& node, uint32_t i) const {
    return term_.column(term_.values_[node.first_child + i], rows_, width_, results_.data());
  }
  OperatorId op(const Node& node, size_t row) const {
    return node.is_bound ? graph_.op(rows_[row * width_ + node.op]) : node.op;
  }
  bool is_narrow(const Node& node) const {
    return node.children <= 2 && graph_.is_unordered_.empty();
  }
  // The children as they are named in the row.
  std::span<const ClassId> written(const Node& node, size_t row) {
    written_.clear();
    for (uint32_t i = 0; i < node.children; ++i) written_.push_back(column(node, i)[row]);
    return {written_.data(), written_.size()};
  }
  // Which only a history wants to know.
  std::span<const ClassId> names(const Node& node, size_t row) {
    return graph_.history_.is_kept ? written(node, row) : std::span<const ClassId>();
  }

  // Calls visit(row, key) for each row, with the key as it is at that moment.
  template <class Visit>
  void for_each_key(const Node& node, Visit&& visit) {
    switch (node.children) {
      case 0:
        for (size_t row = 0; row < count_; ++row) {
          visit(row, EGraph::narrow_key(op(node, row), kNoId, kNoId));
        }
        return;
      case 1: {
        const Column first = column(node, 0);
        for (size_t row = 0; row < count_; ++row) {
          const ClassId a = graph_.find_and_halve(first[row]);
          visit(row, EGraph::narrow_key(op(node, row), a, kNoId));
        }
        return;
      }
      default: {
        const Column first = column(node, 0), second = column(node, 1);
        for (size_t row = 0; row < count_; ++row) {
          const ClassId a = graph_.find_and_halve(first[row]);
          const ClassId b = graph_.find_and_halve(second[row]);
          visit(row, EGraph::narrow_key(op(node, row), a, b));
        }
        return;
      }
    }
  }

  void add_inner(size_t n) {
    const Node& node = term_.nodes_[n];
    NodeId* const results = results_[n].data();
    if (is_narrow(node)) {
      for_each_key(node, [&](size_t row, const EGraph::Key& key) {
        results[row] = graph_.add_narrow(key, node.children, names(node, row));
      });
      return;
    }
    for (size_t row = 0; row < count_; ++row) {
      results[row] = graph_.add_node(op(node, row), written(node, row));
    }
  }

  size_t add_roots() {
    const Node& node = term_.nodes_.back();
    size_t unions = 0;
    if (is_narrow(node)) {
      for_each_key(node, [&](size_t row, const EGraph::Key& key) {
        const uint32_t match = write_match(row);
        const bool is_new =
            graph_.add_narrow_to(rows_[row * width_], key, node.children, names(node, row), match);
        unions += is_new;
        if (!is_new) forget_match(match);
      });
      return unions;
    }
    for (size_t row = 0; row < count_; ++row) {
      const uint32_t match = write_match(row);
      const bool is_new =
          graph_.add_to(rows_[row * width_], op(node, row), written(node, row), match);
      unions += is_new;
      if (!is_new) forget_match(match);
    }
    return unions;
  }

  size_t unite_roots() {
    size_t unions = 0;
    for (size_t row = 0; row < count_; ++row) {
      const uint32_t* const at = rows_ + row * width_;
      const uint32_t match = write_match(row);
      const bool is_new = graph_.unite(at[0], at[term_.root_], graph_.origin_, match);
      unions += is_new;
      if (!is_new) forget_match(match);
    }
    return unions;
  }

  // What an explanation wants of a match; taken back if the match does nothing.
  uint32_t write_match(size_t row) {
    History& history = graph_.history_;
    if (!history.is_kept) return kNoId;
    const auto match = static_cast<uint32_t>(history.matches.size());
    history.matches.append(rows_ + row * width_, width_);
    for (size_t n = 0; n + 1 < term_.nodes_.size(); ++n) {
      history.matches.push_back(results_[n][row]);
    }
    return match;
  }
  void forget_match(uint32_t match) {
    if (match != kNoId) graph_.history_.matches.resize(match);
  }

  const Term& term_;
  EGraph& graph_;
  const uint32_t* rows_;
  const size_t count_;
  const uint32_t width_;
  boost::container::small_vector<std::array<NodeId, kBatch>, 4> results_;  // by node, by row
  boost::container::small_vector<ClassId, 8> written_;
};

size_t Term::add_to_roots(EGraph& graph, const uint32_t* rows, size_t count, uint32_t width) const {
  return Batch(*this, graph, rows, count, width).run();
}

bool Term::unite_by_match(EGraph& graph, const uint32_t* row, uint32_t width, ClassId equal) {
  History& history = graph.history_;
  if (!history.is_kept) return graph.merge(row[0], equal);
  const auto match = static_cast<uint32_t>(history.matches.size());
  history.matches.append(row, width);
  if (graph.unite(row[0], equal, graph.origin_, match)) return true;
  history.matches.resize(match);
  return false;
}

}  // namespace flipsat::egraph
