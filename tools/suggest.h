// "Did you mean": the nearest known name to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flipsat::tools {

// "; did you mean 'optimize'?", or nothing where no name is near (more than a third of its letters
// off, counting insertions, removals and replacements). The first of equally near names wins.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace flipsat::tools
