// Options of the documented command line that belong to later versions. They are known, so that a
// user who tries one is told so instead of "unexpected argument".
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace flipsat::tools {

struct LaterOption {
  std::string name;  // "--beat-orders"
  bool takes_value = false;
};

// Registers them, unlisted in help; giving one throws UsageError "--beat-orders: not available
// yet".
void add_later_options(CLI::App& parser, const std::vector<LaterOption>& options);

}  // namespace flipsat::tools
