// What tests of machine and combiner files share.
#pragma once

#include <string>

#include "hlo/input_error.h"
#include "tests/catch.h"

namespace flipsat::extract::testing {

// `text` with the first `from` replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// `read` of a text and the name of its file throws at this line, with these words.
template <class Read>
void check_refused(const Read& read, const std::string& text, int line, const std::string& words) {
  try {
    read(text, "lab.json");
    FAIL("accepted, expected: " << words);
  } catch (const hlo::InputError& error) {
    INFO(error.what());
    CHECK(error.place().file == "lab.json");
    CHECK(error.place().line == line);
    CHECK(error.message().find(words) != std::string::npos);
  }
}

}  // namespace flipsat::extract::testing
