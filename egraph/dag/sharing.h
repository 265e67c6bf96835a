// A choice for every class with the number of its users, and what it would cost to change it.
//
// A class has a user for every class in use whose node needs it; roots have one more. When a class
// changes its node, what the new node needs is counted in and what the old one needed is counted
// out; only where the two differ is anything visited, so no set of costs is kept for any class.
#pragma once

#include "egraph/dag/components.h"

namespace flipsat::egraph::dag {

class Sharing {
 public:
  // The selection has a node for every class, and goes round in no circle, in use or not.
  Sharing(const Problem& problem, const Components& components, Selection selection);

  Cost cost() const { return cost_; }
  const Selection& selection() const { return selection_; }
  bool is_used(Number cls) const { return users_[cls] != 0; }
  Number users(Number cls) const { return users_[cls]; }

  // Makes the class take another of its nodes, if that goes round in no circle and changes no more
  // than `limit` uses; false, with nothing changed, otherwise. The cost follows.
  bool take(Number node, size_t limit = SIZE_MAX);
  // The same, but taken back if the cost is not below.
  bool improve(Number node, size_t limit);
  // Uses a class without a user, as a root does, until it is let go.
  void hold(Number cls);
  void let_go(Number cls);
  // Everything since the mark is taken back.
  size_t mark() const { return log_.size(); }
  void undo(size_t mark);
  // What came before cannot be taken back any more.
  void commit() { log_.clear(); }

  // Classes whose last user went, since the last call of `commit`, are among those of the log.
  struct Change {
    Number cls;
    Number old_node;  // kNoId: a change of its users
    int32_t users;
  };
  std::span<const Change> log() const { return log_; }
  uint64_t work() const { return work_; }

 private:
  bool goes_round(Number node);
  bool count(Number node, int32_t change, size_t limit);
  void change_users(Number cls, int32_t change);

  const Problem& problem_;
  const Components& components_;
  Selection selection_;
  std::vector<Number> users_;  // by class
  std::vector<Number> stack_;
  std::vector<Change> log_;
  std::vector<Number> seen_;  // by class: the search for a circle that saw it last
  Number searches_ = 0;
  Cost cost_ = 0;
  uint64_t work_ = 0;
};

}  // namespace flipsat::egraph::dag
