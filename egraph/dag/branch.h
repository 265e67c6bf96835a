// Branch and bound on "is this class in use?".
//
// Every subproblem is reduced and split again, so that what a decision makes simple is not searched
// but settled: parts that are thin are eliminated; of the others landmarks give a bound, and with
// the best answer known they rule out nodes. What is left is branched on: with the class as one
// more root, and without the nodes that need it.
#pragma once

#include "egraph/dag/solved_parts.h"
#include "egraph/dag/solver.h"

namespace flipsat::egraph::dag {

struct BranchOptions {
  uint64_t most_work = 0;
  // Steps of one elimination: of a part of the whole, and of a part inside the search.
  uint64_t elimination_steps = uint64_t{1} << 28;
  uint64_t inner_elimination_steps = uint64_t{1} << 16;
  bool proves = true;  // false: local search has all the work, and bounds are what comes for free
  // Asked for the parts of the whole that are open when their share of the work is done.
  CheckedSolver* solver = nullptr;
  double solver_limit =
      0;  // of all questions: about seconds, counted by the solver without a clock
  SolvedParts* solved = nullptr;  // asked first, and told; not where a solver has a say
};

class BranchAndBound {
 public:
  struct Answer {
    Selection selection;  // builds all roots; empty: none found that costs less than the cutoff
    Cost cost = 0;
    Cost bound = 0;  // no solution costs less; the cutoff, if there is none below it
  };

  explicit BranchAndBound(const BranchOptions& options)
      : options_(options), most_work_(options.most_work), solver_left_(options.solver_limit) {}
  // All nodes can be built.
  Answer solve(const Problem& problem);
  // The same, where only what costs less than `cutoff` is of interest, in so much work.
  Answer solve_below(const Problem& problem, Cost cutoff, uint64_t most_work);
  uint64_t work() const { return work_; }

 private:
  Answer solve(const Problem& problem, Cost cutoff, int depth);
  Answer solve_whole_part(const Problem& problem);
  Answer solve_new_part(const Problem& problem);
  void ask_solver(const Problem& problem, Answer& best);
  Answer solve_part(const Problem& problem, Cost cutoff, int depth);
  std::optional<Answer> eliminate_part(const Problem& problem, Cost cutoff, uint64_t steps,
                                       Cost& bound);
  Answer prove(const Problem& problem, Cost cutoff, Cost bound, int depth);
  Answer branch(const Problem& problem, Cost cutoff, Cost bound, Number cls, int depth);
  bool is_spent() const { return work_ >= most_work_; }
  uint64_t left() const { return is_spent() ? 0 : most_work_ - work_; }

  const BranchOptions options_;
  uint64_t most_work_;  // of what is under way
  uint64_t work_ = 0;
  double solver_left_;
  double solver_share_ = 0;  // of what is under way
};

}  // namespace flipsat::egraph::dag
