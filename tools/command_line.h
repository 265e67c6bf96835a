// The whole `flipsat` command, for those who start it: the program, and the Python package.
#pragma once

namespace flipsat::tools {

// Parses the line, runs one subcommand, prints errors, and returns the exit status.
int run_command_line(int argc, const char* const* argv);

}  // namespace flipsat::tools
