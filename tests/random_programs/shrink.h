// A smaller module that still fails.
#pragma once

#include <functional>
#include <string>

namespace flipsat::random_programs {

// Takes results, instructions, operands and attributes away as long as `fails` stays true of what
// is left, a well-formed module each time; gives the last that failed. `trials`: most calls.
std::string shrink(const std::string& text, const std::function<bool(const std::string&)>& fails,
                   int trials = 2000);

}  // namespace flipsat::random_programs
