// The user's input is wrong. Thrown by the readers in this folder; commands print `what()` as it
// is.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace flipsat::egraph {

struct Place {
  std::string file;
  int line = 0;    // from 1; 0: no line is known
  int column = 0;  // from 1, in bytes
};

// `what()` is "file:line:column: error: message", without the numbers where no line is known.
class InputError : public std::runtime_error {
 public:
  InputError(Place place, std::string message);

  const Place& place() const { return place_; }
  const std::string& message() const { return message_; }  // without the place

 private:
  Place place_;
  std::string message_;
};

// Where the byte `at` of a text is. Counts lines: for errors, not for every token.
Place place_in(std::string_view text, size_t at, std::string file);

// A piece of input as it may stand in a message: what is no printable ASCII is replaced, and what
// is long is cut.
std::string in_quotes(std::string_view piece);

}  // namespace flipsat::egraph
