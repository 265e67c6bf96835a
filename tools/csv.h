// Tables for programs: RFC 4180, with a line of names first.
#pragma once

#include <string>
#include <vector>

namespace flipsat::tools {

// One line, cells quoted where they have to be.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace flipsat::tools
