#include "eqsat/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "egraph/io/input_error.h"

namespace flipsat::eqsat {
namespace {

int run_guarded(const Command& command) {
  try {
    command.run();
    return kDone;
  } catch (const UsageError& error) {
    fmt::print(stderr, "eqsat: error: {}\n", error.what());
    return kBadUsage;
  } catch (const egraph::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "eqsat: internal error: {}\n", error.what());
    return kInternalError;
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  CLI::App parser("Equality saturation: rewrites terms in all ways at once, and takes the best.");
  parser.name("eqsat");
  parser.require_subcommand(1);
  const std::vector<Command> commands = {
      run_command(parser),     simplify_command(parser), explain_command(parser),
      why_not_command(parser), extract_command(parser),  export_command(parser),
      import_command(parser),  snapshot_command(parser), load_command(parser)};
  try {
    parser.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return parser.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "eqsat: error: {}\nRun 'eqsat --help' for what there is.\n", error.what());
    return kBadUsage;
  }
  for (const Command& command : commands) {
    if (command.parser->parsed()) return run_guarded(command);
  }
  return kBadUsage;
}

}  // namespace flipsat::eqsat
