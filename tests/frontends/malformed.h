// Tables of text that must be refused. In each row '@' stands before the token that is at fault and
// is taken out before the text is read.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {

struct Row {
  const char* what;
  std::string text;
  const char* message;  // how it begins
};

inline std::string place_of_mark(const std::string& text) {
  size_t at = text.find('@');
  size_t line =
      1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
  size_t start = text.rfind('\n', at);
  size_t column = start == std::string::npos ? at + 1 : at - start;
  return std::to_string(line) + ":" + std::to_string(column);
}

inline void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.what);
    std::string text = row.text;
    size_t at = text.find('@');
    REQUIRE(at != std::string::npos);
    text.erase(at, 1);
    std::string expected = place_of_mark(row.text) + ": " + row.message;
    std::string found = error_of(text);
    CHECK(found.substr(0, expected.size()) == expected);
  }
}

}  // namespace flipsat::frontends
