// A unified diff of two texts, for `--diff`.
//
// Lines that occur once in both texts anchor the comparison (the longest chain of them that keeps
// its order), and the stretches between anchors are compared in the same way. Instructions are
// named, so nearly every line of a module is such a line; what has no anchor left is removed and
// added as a whole. Takes O(n log n) and gives the same answer everywhere.
#pragma once

#include <string>
#include <string_view>

namespace flipsat::tools {

struct DiffNames {
  std::string before;
  std::string after;
};

// Empty where the texts are equal; else headers and hunks with three lines of context.
std::string unified_diff(std::string_view before, std::string_view after, const DiffNames& names);

}  // namespace flipsat::tools
