#include "egraph/io/input_error.h"

#include <algorithm>

namespace flipsat::egraph {
namespace {

constexpr size_t kLongestQuote = 60;

std::string format(const Place& place, const std::string& message) {
  std::string text = place.file.empty() ? "<input>" : place.file;
  if (place.line > 0) {
    text += ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
  }
  return text + ": error: " + message;
}

}  // namespace

InputError::InputError(Place place, std::string message)
    : std::runtime_error(format(place, message)),
      place_(std::move(place)),
      message_(std::move(message)) {}

Place place_in(std::string_view text, size_t at, std::string file) {
  const std::string_view before = text.substr(0, at);
  const size_t line_start = before.rfind('\n') + 1;  // 0 where there is none
  return {std::move(file), static_cast<int>(1 + std::ranges::count(before, '\n')),
          static_cast<int>(1 + before.size() - line_start)};
}

std::string in_quotes(std::string_view piece) {
  std::string text = "'";
  for (const char c : piece.substr(0, kLongestQuote)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (piece.size() > kLongestQuote ? "...'" : "'");
}

}  // namespace flipsat::egraph
