// The user's input is wrong. Thrown by readers and checks; tools print it and exit with status 3.
#pragma once

#include <stdexcept>
#include <string>

namespace flipsat::hlo {

struct Place {
  std::string file;
  int line = 0;    // from 1; 0: no line is known
  int column = 0;  // from 1, in bytes
};

class InputError : public std::runtime_error {
 public:
  InputError(Place place, std::string message)
      : std::runtime_error(format(place, message)),
        place_(std::move(place)),
        message_(std::move(message)) {}

  const Place& place() const { return place_; }
  const std::string& message() const { return message_; }  // without the place

 private:
  static std::string format(const Place& place, const std::string& message) {
    std::string text = place.file.empty() ? "<input>" : place.file;
    if (place.line > 0) {
      text += ':';
      text += std::to_string(place.line);
      text += ':';
      text += std::to_string(place.column);
    }
    text += ": error: ";
    text += message;
    return text;
  }

  Place place_;
  std::string message_;
};

}  // namespace flipsat::hlo
