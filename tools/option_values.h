// Options that were given no value: CLI11 takes the next word for it, whatever that is.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace flipsat::tools {

// Throws UsageError for "--name=", and for "--name --other" where `name` takes a value and `other`
// is an option of the parser.
void check_option_values(const CLI::App& parser, const std::vector<std::string>& words);

}  // namespace flipsat::tools
