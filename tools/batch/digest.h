// A cryptographic digest: what two pieces of a batch are told apart by, since a wrong answer from a
// cache would be a wrong program.
#pragma once

#include <string>
#include <string_view>

namespace flipsat::tools {

// SHA-256, as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace flipsat::tools
