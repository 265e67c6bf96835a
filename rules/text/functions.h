// The vocabulary of text rules: what may stand in attributes and conditions. One row of the table
// in functions.cc each; docs/writing-a-rule.md lists them.
#pragma once

#include <span>
#include <string_view>

#include "rules/text/value.h"

namespace flipsat::rules::text {

struct FunctionRow {
  std::string_view name;
  std::vector<Sort> arguments;
  Sort result;
  // Nothing (monostate) where there is no value: an index out of range, a division with a rest.
  Value (*evaluate)(const Known& known, std::span<const Value> arguments);
  bool is_variadic = false;  // the last argument any number of times
};

std::span<const FunctionRow> function_table();

}  // namespace flipsat::rules::text
