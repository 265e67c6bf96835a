// Which names XLA lets instructions and computations have.
#pragma once

#include <string>
#include <string_view>

namespace flipsat::frontends {

// Words that XLA's parser refuses as names, with or without '%': element types and keywords.
bool is_forbidden_name(std::string_view name);

// The name as XLA would make it: every byte outside of [A-Za-z0-9_.-] becomes '_', a first byte
// that is no letter gets '_' before it, and a forbidden word gets '_' behind it.
std::string sanitized_name(std::string_view name);

}  // namespace flipsat::frontends
