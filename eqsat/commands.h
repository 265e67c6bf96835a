// The subcommands of `eqsat`, one a source file. A command adds itself to the parser with its
// options, and hands back what to run once the line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>

namespace flipsat::eqsat {

enum ExitCode : int {
  kDone = 0,
  kBadUsage = 2,       // the command line, or a file that cannot be opened or written
  kBadInput = 3,       // printed as file:line:column: error: ...
  kInternalError = 4,  // a bug of ours
};

// The command line asks for something that cannot be done.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Command {
  CLI::App* parser = nullptr;
  std::function<void()> run;
};

Command run_command(CLI::App& eqsat);
Command simplify_command(CLI::App& eqsat);
Command explain_command(CLI::App& eqsat);
Command why_not_command(CLI::App& eqsat);
Command extract_command(CLI::App& eqsat);
Command export_command(CLI::App& eqsat);
Command import_command(CLI::App& eqsat);
Command snapshot_command(CLI::App& eqsat);
Command load_command(CLI::App& eqsat);

// The whole program: parses, runs, prints errors, and returns the exit status.
int run_command_line(int argc, const char* const* argv);

}  // namespace flipsat::eqsat
