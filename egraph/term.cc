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
  const bool is_far = graph.node_bound() > kNear;
  for (size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    std::array<ClassId, kBatch>& result = results[n];
    // Where the i-th child of each row stands, one after the other at this stride.
    const auto column = [&](uint32_t i) {
      const uint32_t value = values_[node.first_child + i];
      return value < columns_
                 ? std::pair<const ClassId*, size_t>(rows + value, width)
                 : std::pair<const ClassId*, size_t>(results[value - columns_].data(), 1);
    };
    const auto op = [&](size_t row) {
      return node.is_bound ? graph.op(rows[row * width + node.op]) : node.op;
    };
    if (node.children > 2 || node.children == 0 || !graph.is_unordered_.empty()) {
      boost::container::small_vector<ClassId, 8> children;
      for (size_t row = 0; row < count; ++row) {
        children.clear();
        for (uint32_t i = 0; i < node.children; ++i) {
          const auto [at, stride] = column(i);
          children.push_back(at[row * stride]);
        }
        const bool all_there = std::ranges::count(children, kNoId) == 0;
        const NodeId there =
            all_there ? graph.find_node(op(row), {children.data(), children.size()}) : kNoId;
        result[row] = there == kNoId ? kNoId : graph.find(there);
      }
      continue;
    }
    // A missing child makes a key that no node has: neither two-child nodes nor one-child nodes
    // have kNoId as a first child, and a second one is asked for below.
    std::array<EGraph::Key, kBatch> keys;
    const auto [first, first_stride] = column(0);
    const auto [second, second_stride] =
        node.children > 1 ? column(1) : std::pair<const ClassId*, size_t>(nullptr, 0);
    for (size_t row = 0; row < count; ++row) {
      keys[row] = EGraph::narrow_key(op(row), first[row * first_stride],
                                     second == nullptr ? kNoId : second[row * second_stride]);
      if (is_far) graph.table_.prefetch(keys[row].hash);
    }
    if (is_far) {
      for (size_t row = 0; row < count; ++row) {
        const NodeId candidate = graph.table_.candidate(keys[row].hash);
        if (candidate == kNoId) continue;
        __builtin_prefetch(&graph.records_[candidate]);
        __builtin_prefetch(&graph.words_[candidate]);
      }
    }
    for (size_t row = 0; row < count; ++row) {
      const bool all_there =
          keys[row].first != kNoId && (node.children < 2 || keys[row].second != kNoId);
      const NodeId there = all_there ? graph.find_node(keys[row], {}) : kNoId;
      result[row] = there == kNoId ? kNoId : graph.find(there);
    }
  }

  const auto [right, stride] =
      root_ < columns_ ? std::pair<const ClassId*, size_t>(rows + root_, width)
                       : std::pair<const ClassId*, size_t>(results[root_ - columns_].data(), 1);
  size_t kept = 0;
  for (size_t row = 0; row < count; ++row) {
    if (right[row * stride] == rows[row * width]) continue;
    if (kept != row) {
      for (uint32_t i = 0; i < width; ++i) rows[kept * width + i] = rows[row * width + i];
    }
    ++kept;
  }
  return kept;
}

// Rows that are added together. Each level asks for memory row after row, so that by the time the
// last has asked the first has its answer.
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
    for (size_t row = 0; row < count_; ++row) __builtin_prefetch(&graph_.words_[at(row, 0)]);
    for (size_t n = 0; n + 1 < term_.nodes_.size(); ++n) add_inner(n);
    return term_.nodes_.empty() ? unite_roots() : add_roots();
  }

 private:
  uint32_t at(size_t row, uint32_t column) const { return rows_[row * width_ + column]; }
  ClassId child(const Node& node, size_t row, uint32_t i) const {
    const uint32_t value = term_.values_[node.first_child + i];
    return value < term_.columns_ ? at(row, value) : results_[value - term_.columns_][row];
  }
  OperatorId op(const Node& node, size_t row) const {
    return node.is_bound ? graph_.op(at(row, node.op)) : node.op;
  }
  bool is_narrow(const Node& node) const {
    return node.children <= 2 && graph_.is_unordered_.empty();
  }
  EGraph::Key key(const Node& node, size_t row) {
    const ClassId first = node.children > 0 ? graph_.find_and_halve(child(node, row, 0)) : kNoId;
    const ClassId second = node.children > 1 ? graph_.find_and_halve(child(node, row, 1)) : kNoId;
    return EGraph::narrow_key(op(node, row), first, second);
  }
  // The children as they are named in the row, which only a history wants to know.
  std::span<const ClassId> written(const Node& node, size_t row) {
    written_.clear();
    for (uint32_t i = 0; i < node.children; ++i) written_.push_back(child(node, row, i));
    return {written_.data(), written_.size()};
  }

  std::span<const ClassId> names(const Node& node, size_t row) {
    return graph_.history_.is_kept ? written(node, row) : std::span<const ClassId>();
  }

  void find_keys(const Node& node) {
    for (size_t row = 0; row < count_; ++row) {
      for (uint32_t i = 0; i < node.children; ++i) {
        __builtin_prefetch(&graph_.words_[child(node, row, i)]);
      }
    }
    for (size_t row = 0; row < count_; ++row) {
      keys_[row] = key(node, row);
      graph_.table_.prefetch(keys_[row].hash);
    }
    if (graph_.node_bound() <= kNear) return;
    for (size_t row = 0; row < count_; ++row) {
      const NodeId candidate = graph_.table_.candidate(keys_[row].hash);
      if (candidate == kNoId) continue;
      __builtin_prefetch(&graph_.records_[candidate]);
      __builtin_prefetch(&graph_.words_[candidate]);
    }
  }

  // Adding merges nothing, so that keys stay right.
  void add_inner(size_t n) {
    const Node& node = term_.nodes_[n];
    if (!is_narrow(node)) {
      for (size_t row = 0; row < count_; ++row) {
        results_[n][row] = graph_.add_node(op(node, row), written(node, row));
      }
      return;
    }
    find_keys(node);
    for (size_t row = 0; row < count_; ++row) {
      results_[n][row] = graph_.add_narrow(keys_[row], node.children, names(node, row));
    }
  }

  size_t add_roots() {
    const Node& node = term_.nodes_.back();
    size_t unions = 0;
    if (is_narrow(node)) find_keys(node);
    for (size_t row = 0; row < count_; ++row) {
      const uint32_t match = write_match(row);
      bool is_new;
      if (is_narrow(node)) {
        // A union of an earlier row may have renamed a child.
        const bool is_current = is_root(keys_[row].first) && is_root(keys_[row].second);
        is_new = graph_.add_narrow_to(at(row, 0), is_current ? keys_[row] : key(node, row),
                                      node.children, names(node, row), match);
      } else {
        is_new = graph_.add_to(at(row, 0), op(node, row), written(node, row), match);
      }
      unions += is_new;
      if (!is_new) forget_match(match);
    }
    return unions;
  }

  size_t unite_roots() {
    size_t unions = 0;
    for (size_t row = 0; row < count_; ++row) {
      const uint32_t match = write_match(row);
      const bool is_new = graph_.unite(at(row, 0), at(row, term_.root_), graph_.origin_, match);
      unions += is_new;
      if (!is_new) forget_match(match);
    }
    return unions;
  }

  bool is_root(ClassId name) const {
    return name == kNoId || (graph_.words_[name] & EGraph::kRoot) != 0;
  }

  // What an explanation wants of a match; taken back if the match does nothing.
  uint32_t write_match(size_t row) {
    History& history = graph_.history_;
    if (!history.is_kept) return kNoId;
    const auto match = static_cast<uint32_t>(history.matches.size());
    history.matches.append(rows_ + row * width_, width_);
    for (size_t n = 0; n + 1 < term_.nodes_.size(); ++n)
      history.matches.push_back(results_[n][row]);
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
  std::array<EGraph::Key, kBatch> keys_;
  boost::container::small_vector<std::array<NodeId, kBatch>, 4> results_;  // by node, by row
  boost::container::small_vector<ClassId, 8> written_;
};

size_t Term::add_to_roots(EGraph& graph, const uint32_t* rows, size_t count, uint32_t width) const {
  return Batch(*this, graph, rows, count, width).run();
}

}  // namespace flipsat::egraph
