// A solver that is a program of its own: one process a question, so that two of them never meet in
// one address space, and one that dies or hangs takes nothing with it.
#pragma once

#include "egraph/dag/solver.h"
#include "solvers/program.h"

namespace flipsat::solvers {

class ProcessSolver : public egraph::dag::Solver {
 public:
  explicit ProcessSolver(Program program) : program_(std::move(program)) {}
  egraph::dag::SolverAnswer solve(const egraph::dag::SolverTask& task) override;

 private:
  Program program_;
};

// What came of the questions, in sentences for the user; empty where nothing was asked.
std::vector<std::string> sentences(const std::string& solver,
                                   const egraph::dag::CheckedSolver::Tally& tally);

}  // namespace flipsat::solvers
