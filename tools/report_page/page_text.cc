#include "tools/report_page/page_text.h"

#include "tools/html.h"

namespace flipsat::tools {
namespace {

std::string dumped(const Json& value, bool ascii) {
  return value.dump(-1, ' ', ascii, Json::error_handler_t::replace);
}

void append(const Json& value, std::string& out) {
  if (value.is_binary()) {  // an exact number
    const auto& text = value.get_binary();
    out.append(text.begin(), text.end());
    return;
  }
  if (!value.is_structured()) {
    out += dumped(value, true);
    return;
  }
  out += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, part] : value.items()) {
    if (!first) out += ',';
    first = false;
    if (value.is_object()) out += dumped(Json(key), true) + ":";
    append(part, out);
  }
  out += value.is_object() ? '}' : ']';
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string embedded_json(const Json& document) {
  std::string text;
  append(document, text);
  std::string out;
  out.reserve(text.size());
  for (char c : text) {  // these stand in strings alone
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

std::string cut(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && is_continuation(text[most])) --most;
  return std::string(text.substr(0, most)) + "...";
}

std::string element_text(std::string_view text) {
  // The library puts replacement characters in place of what is not UTF-8.
  const std::string well_formed = Json::parse(dumped(Json(text), false)).get<std::string>();
  std::string printable;
  for (char c : well_formed) {
    printable += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  return escaped(printable);
}

}  // namespace flipsat::tools
