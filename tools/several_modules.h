// What commands that work on several modules share: how one that fails is told, and progress on a
// terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tools/exit_codes.h"

namespace flipsat::tools {

// Is it one module, named on its own? What is wrong with it ends the command.
bool is_one_module(const std::vector<std::string>& inputs);

// Runs `work` for 0 to count-1, on several threads. Gives what went wrong for each; empty where
// nothing did. Throws what `work` throws where `is_one`.
std::vector<std::string> run_on_each(size_t count, bool is_one, int threads, bool quiet,
                                     const std::function<void(size_t)>& work);

// Done, or "some module failed".
ExitCode exit_code(const std::vector<std::string>& errors);

}  // namespace flipsat::tools
