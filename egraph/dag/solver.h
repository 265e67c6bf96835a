// Help from outside with parts that branch and bound leaves open.
//
// Nothing that a solver says is believed before it is looked at: its choice is built and costed
// anew, and must fit what it says of itself and what is known. An answer that does not is refused
// as a whole, and the search goes on with its own.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

struct SolverTask {
  const Problem& problem;
  const Selection& start;  // builds the roots
  Cost cost = 0;           // of the start
  Cost bound = 0;          // no choice costs less
  double limit = 0;        // see BranchOptions::solver_limit
};

struct SolverAnswer {
  std::vector<Number> nodes;  // a choice: one node for each class in use, and no others
  Cost cost = 0;
  Cost bound = 0;    // no choice costs less
  double spent = 0;  // of the limit
};

// There is no answer, and why.
class SolverFailed : public std::runtime_error {
 public:
  explicit SolverFailed(const std::string& why, bool is_by_clock = false)
      : std::runtime_error(why), is_by_clock(is_by_clock) {}
  bool is_by_clock;  // another run may have one
};

class Solver {
 public:
  virtual ~Solver() = default;
  // Throws SolverFailed.
  virtual SolverAnswer solve(const SolverTask& task) = 0;
};

// What is wrong with an answer; empty, with its choice in `made`, if nothing is.
std::string why_refused(const SolverTask& task, const SolverAnswer& answer, Selection& made);

// A solver whose answers are looked at, and what came of them.
class CheckedSolver {
 public:
  explicit CheckedSolver(Solver& solver) : solver_(solver) {}

  struct Improved {
    Selection selection;  // empty: the start is the best known
    Cost cost = 0;
    Cost bound = 0;
    double spent = 0;
  };
  Improved improve(const SolverTask& task);

  struct Tally {
    int64_t asked = 0;
    int64_t cheaper = 0;                     // answers that cost less than the start
    int64_t closed = 0;                      // parts whose answer is proved
    std::map<std::string, int64_t> refused;  // why: how often
    bool is_by_clock = false;                // another run may get other answers
  };
  const Tally& tally() const { return tally_; }

 private:
  Solver& solver_;
  Tally tally_;
};

}  // namespace flipsat::egraph::dag
