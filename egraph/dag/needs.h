// What is needed before what: by class, some of the classes that every way to build it builds
// first, and the class itself.
#pragma once

#include "egraph/dag/components.h"

namespace flipsat::egraph::dag {

class Needs {
 public:
  Needs(const Problem& problem, const Components& components, uint64_t& work);

  // Rising. Not all of them: the list is cut to the largest, which in a problem from an e-graph
  // are the nearest.
  std::span<const Number> of(Number cls) const {
    return {lists_.data() + begin_[cls], lists_.data() + begin_[cls] + size_[cls]};
  }
  // The union of the lists of what the node needs.
  void of_node(Number node, std::vector<Number>& result) const;

  // By class: whether every way to build all roots builds it; exactly that where the lists are
  // not cut.
  std::vector<bool> forced() const;

 private:
  void update(Number cls);

  const Problem& problem_;
  std::vector<Number> lists_;
  std::vector<Number> begin_, size_;  // by class
  std::vector<Number> common_, of_one_, merged_;
};

}  // namespace flipsat::egraph::dag
