// Branch and bound on "is this class in use?".
//
// Every subproblem is reduced and split again, so that what a decision makes simple is not searched
// but settled: parts that are thin are eliminated; of the others landmarks give a bound, and with
// the best answer known they rule out nodes. What is left is branched on: with the class as one
// more root, and without the nodes that need it.
#pragma once

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

class BranchAndBound {
 public:
  struct Answer {
    Selection selection;  // builds all roots; empty: none found that costs less than the cutoff
    Cost cost = 0;
    Cost bound = 0;  // no solution costs less; the cutoff, if there is none below it
  };

  explicit BranchAndBound(uint64_t most_work) : most_work_(most_work) {}
  // All nodes can be built.
  Answer solve(const Problem& problem);
  uint64_t work() const { return work_; }

 private:
  Answer solve(const Problem& problem, Cost cutoff, int depth);
  Answer solve_part(const Problem& problem, Cost cutoff, int depth);
  Answer branch(const Problem& problem, Cost cutoff, Cost bound, Number cls, bool use_first,
                int depth);
  bool is_spent() const { return work_ >= most_work_; }

  uint64_t most_work_;  // of what is under way
  uint64_t work_ = 0;
};

}  // namespace flipsat::egraph::dag
