// Numbers of a repeated field as HLO text has them.
#pragma once

#include <string>

namespace flipsat::frontends {

// "1,2,3".
template <typename List>
std::string joined(const List& values) {
  std::string text;
  for (auto value : values) {
    if (!text.empty()) text += ',';
    text += std::to_string(value);
  }
  return text;
}

}  // namespace flipsat::frontends
