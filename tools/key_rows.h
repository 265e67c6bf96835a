// The three programs of a result under each combiner key (opcode, type, dim, groups).
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>

#include "optimizer/result.h"

namespace flipsat::tools {

using Key = std::tuple<std::string, std::string, std::string, std::string>;
// Of the input, the greedy program and the output; zeros where a program has none of the key.
using KeyRows = std::array<extract::KeyRow, 3>;

// In the order of opcode, type, dim, groups.
std::map<Key, KeyRows> rows_by_key(const optimizer::Result& result);

}  // namespace flipsat::tools
