#include "tools/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "hlo/input_error.h"
#include "optimizer/optimize.h"
#include "tools/suggest.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
std::vector<Command> all_commands(CLI::App& flipsat) {
  return {optimize_command(flipsat), compare_command(flipsat), orders_command(flipsat),
          batch_command(flipsat),    verify_command(flipsat),  explain_command(flipsat),
          show_command(flipsat),     stats_command(flipsat),   rules_command(flipsat),
          scramble_command(flipsat), convert_command(flipsat)};
}

void check_command_word(const std::vector<Command>& commands, const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.parser->get_name());
  for (const std::string& name : names) {
    if (name == word) return;
  }
  throw UsageError(fmt::format("there is no command '{}'{}", word, did_you_mean(word, names)));
}

ExitCode run_command(const Command& command) {
  try {
    return command.run();
  } catch (const UsageError& error) {
    fmt::print(stderr, "flipsat: error: {}\n", error.what());
    return kBadUsage;
  } catch (const hlo::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "flipsat: error: {}: {}\n", error.path1().string(), error.code().message());
    return kBadUsage;
  } catch (const optimizer::VerificationFailed& error) {
    fmt::print(stderr, "flipsat: the rewritten module was refused, nothing is written: {}\n",
               error.what());
    return kAnswerIsNo;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "flipsat: error: there is not enough memory\n");
    return kBadUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "flipsat: internal error: {}\n", error.what());
    return kInternalError;
  }
}

}  // namespace flipsat::tools
