// Runs another program to its end, or to a deadline.
#pragma once

#include <string>
#include <vector>

namespace flipsat::solvers {

struct ProcessLimits {
  double seconds = 60;                    // then it is killed
  size_t most_output = size_t{64} << 20;  // bytes; a program that writes more is killed
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
