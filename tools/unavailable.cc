#include "tools/unavailable.h"

#include "tools/usage_error.h"

namespace flipsat::tools {

void add_later_options(CLI::App& parser, const std::vector<LaterOption>& options) {
  for (const LaterOption& option : options) {
    const std::string message = option.name + ": not available yet";
    CLI::Option* added;
    if (option.takes_value) {
      added = parser.add_option_function<std::string>(
          option.name, [message](const std::string&) { throw UsageError(message); });
    } else {
      added = parser.add_flag_callback(option.name, [message] { throw UsageError(message); });
    }
    added->group("");
  }
}

}  // namespace flipsat::tools
