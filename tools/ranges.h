// What numbers of the command line may be; a refusal says so in words.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace flipsat::tools {

// "expected a whole number from 1 to 1000, not '0'"; "of at least 1" where there is no bound.
CLI::Validator whole_number(int64_t least, int64_t most = std::numeric_limits<int64_t>::max());

// "expected a number from 0 to 100, not 'inf'".
CLI::Validator number(double least, double most = std::numeric_limits<double>::infinity());
// "expected a number above 0, not '0'".
CLI::Validator number_above_zero();

}  // namespace flipsat::tools
