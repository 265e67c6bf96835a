// What a solver's process is told, and what it answers: the text of docs/solvers.md.
#pragma once

#include "egraph/dag/solver.h"

namespace flipsat::solvers {

std::string task_text(const egraph::dag::SolverTask& task);

// Throws egraph::dag::SolverFailed for what is no answer.
egraph::dag::SolverAnswer read_answer(const std::string& text);

}  // namespace flipsat::solvers
