// What one program of an input changes otherwise than another one, value by value.
#pragma once

#include <string>
#include <vector>

#include "optimizer/result.h"
#include "tools/json_text.h"

namespace flipsat::tools {

// A value that the base changes and the other does not, or the other way, or by other rules.
struct Difference {
  std::string at;
  std::string computation;
  std::vector<std::string> base_rules;  // empty: the base leaves the value as it is
  std::vector<std::string> rules;       // empty: the other does
  // Where both change the value by the same rules: what is made, or replaced, otherwise.
  std::string base_way;
  std::string way;
};

// Those of the base first, in its order, then what is new.
std::vector<Difference> differences(const std::vector<optimizer::Change>& base,
                                    const std::vector<optimizer::Change>& other);

// Two programs that change the same values by the same rules, and are not the same.
inline constexpr const char* kSameChanges =
    "    the same changes; operands, shapes or groups of new instructions differ\n";

// One a line for people, indented; only some unless `all`.
std::string difference_lines(const std::vector<Difference>& differences, bool all);
// The same for programs (docs/report.md).
Json difference_records(const std::vector<Difference>& differences);

}  // namespace flipsat::tools
