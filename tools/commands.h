// The subcommands of `flipsat`, one a source file. A command adds itself to the parser with its
// options, and hands back what to run once the line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tools/exit_codes.h"

namespace flipsat::tools {

struct Command {
  CLI::App* parser = nullptr;
  std::function<ExitCode()> run;
};

Command optimize_command(CLI::App& flipsat);
Command verify_command(CLI::App& flipsat);
Command stats_command(CLI::App& flipsat);
Command rules_command(CLI::App& flipsat);
Command batch_command(CLI::App& flipsat);
Command compare_command(CLI::App& flipsat);
Command orders_command(CLI::App& flipsat);
Command scramble_command(CLI::App& flipsat);
Command explain_command(CLI::App& flipsat);
Command show_command(CLI::App& flipsat);
Command convert_command(CLI::App& flipsat);

// All of the above, in the order in which help lists them.
std::vector<Command> all_commands(CLI::App& flipsat);

// Throws UsageError where the first word of the line is no command, with the nearest one.
void check_command_word(const std::vector<Command>& commands, const std::string& word);

// Runs a command and turns what it throws into a message on standard error and an exit status.
ExitCode run_command(const Command& command);

}  // namespace flipsat::tools
