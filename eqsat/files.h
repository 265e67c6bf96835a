// Files as the command reads and writes them; "-" is standard input or output.
#pragma once

#include <string>
#include <string_view>

namespace flipsat::eqsat {

// Both throw UsageError where it cannot be done.
std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view text);

// To standard output, all of it or UsageError.
void print(std::string_view text);

}  // namespace flipsat::eqsat
