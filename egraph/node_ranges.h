// The nodes of a class and the parents of a class, as ranges to walk; good until the graph changes.
#pragma once

#include <cstddef>
#include <iterator>

#include "egraph/ids.h"

namespace flipsat::egraph {

class EGraph;

// The live nodes of a class; a rebuilt graph has at least one in each.
class ClassNodes {
 public:
  class Iterator {
   public:
    using value_type = NodeId;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const NodeId*;
    using reference = NodeId;

    Iterator() = default;
    Iterator(const EGraph& graph, ClassId name);
    NodeId operator*() const { return at_; }
    Iterator& operator++();
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void step();

    const EGraph* graph_ = nullptr;
    ClassId name_ = kNoId;
    NodeId at_ = kNoId;  // kNoId: at the end
  };

  ClassNodes(const EGraph& graph, ClassId name) : graph_(&graph), name_(name) {}
  Iterator begin() const { return {*graph_, name_}; }
  Iterator end() const { return {}; }
  bool empty() const { return begin() == end(); }

 private:
  const EGraph* graph_;
  ClassId name_;
};

// The live nodes that have a class among their children, each once.
class ParentNodes {
 public:
  class Iterator {
   public:
    using value_type = NodeId;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const NodeId*;
    using reference = NodeId;

    Iterator() = default;
    Iterator(const EGraph& graph, ClassId name);
    NodeId operator*() const { return node_; }
    Iterator& operator++();
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return entry_ == other.entry_; }

   private:
    void settle();  // on the next entry to be shown, from the present one on

    const EGraph* graph_ = nullptr;
    ClassId name_ = kNoId;
    uint32_t entry_ = kNoId;  // kNoId: at the end
    NodeId node_ = kNoId;
  };

  ParentNodes(const EGraph& graph, ClassId name) : graph_(&graph), name_(name) {}
  Iterator begin() const { return {*graph_, name_}; }
  Iterator end() const { return {}; }
  bool empty() const { return begin() == end(); }

 private:
  const EGraph* graph_;
  ClassId name_;
};

}  // namespace flipsat::egraph
