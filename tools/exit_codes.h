// What the exit status of `flipsat` says. docs/command-line.md lists the same table for users.
#pragma once

namespace flipsat::tools {

enum ExitCode : int {
  kDone = 0,
  kAnswerIsNo = 1,     // a difference was found, or some module of a batch failed
  kBadUsage = 2,       // the command line, or a place to write that cannot be written
  kBadInput = 3,       // a module or machine file; printed as file:line:column: error: ...
  kInternalError = 4,  // a bug of ours
  kNotChecked = 5,     // `verify` could not tell
};

}  // namespace flipsat::tools
