#include "hlo/frontend_attributes.h"

namespace flipsat::hlo {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Where the entry that starts at `begin` ends: at a comma outside quotes and braces.
size_t end_of_entry(std::string_view text, size_t begin) {
  int depth = 0;
  char quote = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == ',' && depth == 0) return i;
  }
  return text.size();
}

}  // namespace

std::vector<std::string_view> frontend_attribute_entries(const Instruction& instruction) {
  const Attribute* attribute = instruction.find(AttributeKey::kFrontendAttributes);
  if (!attribute) return {};
  std::string_view text = attribute->text;
  if (const auto* made = std::get_if<std::string>(&attribute->value); made && text.empty()) {
    text = *made;
  }
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '{') return {};
  text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> entries;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = end_of_entry(text, begin);
    entries.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return entries;
}

std::optional<std::string_view> frontend_attribute(const Instruction& instruction,
                                                   std::string_view key) {
  for (std::string_view entry : frontend_attribute_entries(instruction)) {
    size_t equals = entry.find('=');
    if (equals != std::string_view::npos && trimmed(entry.substr(0, equals)) == key) {
      return trimmed(entry.substr(equals + 1));
    }
  }
  return std::nullopt;
}

}  // namespace flipsat::hlo
