// What programs an e-graph holds, as a graph: a program selects one node of each class that it
// needs, without a cycle, and the classes that a node needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flipsat::extract {

struct AndOrNode {
  int64_t cost = 0;
  std::vector<uint32_t> children;  // classes
};

class AndOrGraph {
 public:
  using Class = uint32_t;

  Class add_class(std::vector<AndOrNode> nodes = {});
  size_t class_count() const { return classes_.size(); }
  std::vector<AndOrNode>& nodes(Class cls) { return classes_[cls]; }
  const std::vector<AndOrNode>& nodes(Class cls) const { return classes_[cls]; }
  void add_root(Class cls) { roots_.push_back(cls); }
  const std::vector<Class>& roots() const { return roots_; }

  // What the roots need, each class after what it needs but for cycles.
  std::vector<Class> order() const;
  // By class: does every program have it?
  std::vector<bool> forced() const;

 private:
  std::vector<std::vector<AndOrNode>> classes_;
  std::vector<Class> roots_;
};

// The least, over all programs, of the most weight that a path down from a class has: Knuth's
// generalisation of Dijkstra's algorithm, which knows no cycles. Of the graph as it was when this
// was made.
class Heights {
 public:
  explicit Heights(const AndOrGraph& graph);
  // By class, for weights of classes; -1 where no program has it.
  std::vector<int64_t> of(const std::vector<int64_t>& weights) const;
  size_t class_count() const { return first_user_.size() - 1; }

 private:
  std::vector<uint32_t> first_user_, users_;  // nodes by the classes that they need
  std::vector<uint32_t> class_of_node_, children_of_node_;
};

}  // namespace flipsat::extract
