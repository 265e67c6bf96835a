// Text of modules as it may stand on a page: well formed whatever bytes a name is made of.
#pragma once

#include <string>
#include <string_view>

#include "tools/json_text.h"

namespace flipsat::tools {

// JSON that may stand in a script element: ASCII alone, and no '<', '>' or '&'.
std::string embedded_json(const Json& document);

// At most so many bytes, cut between characters; what was cut is told by three dots.
std::string cut(std::string_view text, size_t most);

// Text for an element: UTF-8 without control characters, escaped.
std::string element_text(std::string_view text);

}  // namespace flipsat::tools
