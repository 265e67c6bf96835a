#include "tools/json_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/units.h"

namespace flipsat::tools {
namespace {

// The library has no numbers but machine words; a binary value of this kind stands for one.
constexpr uint64_t kExactNumber = 1;

bool is_scalar(const Json& value) { return !value.is_structured(); }

void append(const Json& value, int indent, std::string& out);

void append_string(const std::string& text, std::string& out) {
  out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A list or an object with nothing nested in it, short enough to be read at a glance.
bool fits_a_line(const Json& value) {
  constexpr size_t kShort = 8;
  return value.size() <= kShort &&
         std::all_of(value.begin(), value.end(), [](const Json& part) { return is_scalar(part); });
}

void append_structured(const Json& value, int indent, std::string& out) {
  const char open = value.is_object() ? '{' : '[';
  const char close = value.is_object() ? '}' : ']';
  const bool one_line = fits_a_line(value);
  const std::string separator = one_line ? " " : "\n" + std::string(indent + 2, ' ');
  out += open;
  bool first = true;
  for (const auto& [key, part] : value.items()) {
    if (!first) out += ',';
    if (!first || !one_line) out += separator;
    first = false;
    if (value.is_object()) {
      append_string(key, out);
      out += ": ";
    }
    append(part, indent + 2, out);
  }
  if (!one_line) out += "\n" + std::string(indent, ' ');
  out += close;
}

void append(const Json& value, int indent, std::string& out) {
  if (value.is_structured()) return append_structured(value, indent, out);
  if (!value.is_binary()) {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const auto& text = value.get_binary();
  out.append(text.begin(), text.end());
}

}  // namespace

Json exact_number(const std::string& text) {
  return Json::binary({text.begin(), text.end()}, kExactNumber);
}

Json microseconds(extract::Picoseconds time) { return exact_number(exact_microseconds(time)); }

Json milliseconds(double value) { return exact_number(fmt::format("{:.3f}", value)); }

std::string json_fields(const Json& object, int indent) {
  std::string text;
  for (const auto& [key, value] : object.items()) {
    if (!text.empty()) text += ",\n";
    text += std::string(indent, ' ');
    append_string(key, text);
    text += ": ";
    append(value, indent, text);
  }
  return text;
}

std::string json_text(const Json& document) {
  std::string text;
  append(document, 0, text);
  text += '\n';
  return text;
}

}  // namespace flipsat::tools
