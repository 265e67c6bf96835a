#include "tools/command_line.h"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "tools/commands.h"
#include "tools/option_values.h"
#include "tools/usage_error.h"
#include "tools/version.h"

namespace flipsat::tools {

int run_command_line(int argc, const char* const* argv) {
  CLI::App parser("Finds a cheaper arrangement of the collectives of an XLA HLO module.");
  parser.name("flipsat");
  parser.set_version_flag("--version", fmt::format("flipsat {}", kVersion));
  parser.require_subcommand(1);
  const std::vector<Command> commands = all_commands(parser);

  try {
    if (argc > 1 && argv[1][0] != '-') check_command_word(commands, argv[1]);
    if (argc > 1 && argv[1][0] != '-') {
      check_option_values(*parser.get_subcommand(argv[1]), {argv + 2, argv + argc});
    }
    parser.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return parser.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "flipsat: error: {}\nRun 'flipsat --help' for what there is.\n",
               error.what());
    return kBadUsage;
  } catch (const UsageError& error) {
    fmt::print(stderr, "flipsat: error: {}\n", error.what());
    return kBadUsage;
  }

  for (const Command& command : commands) {
    if (command.parser->parsed()) return run_command(command);
  }
  return kBadUsage;
}

}  // namespace flipsat::tools
