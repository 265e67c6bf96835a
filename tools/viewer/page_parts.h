// The parts of the page that do not depend on what it shows.
#pragma once

#include <string_view>

namespace flipsat::tools {

std::string_view viewer_style();
// Reads the JSON of the page, and writes text as text.
std::string_view viewer_script();

}  // namespace flipsat::tools
