// Runs another program to its end, or until it has taken too much.
#pragma once

#include <string>
#include <vector>

namespace flipsat::solvers {

struct ProcessLimits {
  // A program that takes more is killed. None of this hangs on what else the machine has to do.
  double cpu_seconds = 60;
  double idle_seconds = 60;               // on end without any work
  size_t most_output = size_t{64} << 20;  // bytes
};

struct Finished {
  enum End { kExited, kDied, kTimedOut, kWroteTooMuch, kNotStarted } end = kNotStarted;
  int status = 0;  // of kExited: its exit status; of kDied: the signal
  std::string output;
  std::string errors;
};

// `command`: the program, which is looked for in PATH, and its arguments.
Finished run_process(const std::vector<std::string>& command, const std::string& input,
                     const ProcessLimits& limits);

}  // namespace flipsat::solvers
