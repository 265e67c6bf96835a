// Looking into `frontend_attributes={key="value",other={...}}`.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

// What follows `key=` in an instruction's frontend attributes, quotes and braces included; nullopt
// where the key does not occur.
std::optional<std::string_view> frontend_attribute(const Instruction& instruction,
                                                   std::string_view key);

// All entries as they are written, `key=value`.
std::vector<std::string_view> frontend_attribute_entries(const Instruction& instruction);

}  // namespace flipsat::hlo
