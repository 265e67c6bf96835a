// The solvers that can be named, and the program that runs each: python/flipsat_solvers, with a
// Python that has the solver's package.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace flipsat::solvers {

struct Program {
  std::string name;     // "cp-sat"
  std::string version;  // "9.15.6755"
  std::vector<std::string> command;
  // For what should have ended by itself: CPU seconds beyond the limit, and for each unit of it;
  // and seconds without any work.
  double grace = 60;
  double grace_factor = 20;
  double idle_seconds = 120;
};

// There is no such solver, or it is not installed; says how to get it.
class Missing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "cp-sat" or "highs". The Python is what the environment variable FLIPSAT_SOLVER_PYTHON names,
// else that of solver-venv beside the running program (scripts/setup-solvers), else `python3`.
// Starts it once to ask its version. Throws Missing.
Program find_program(const std::string& name);

}  // namespace flipsat::solvers
