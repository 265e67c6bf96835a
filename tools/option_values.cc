#include "tools/option_values.h"

#include <fmt/format.h>

#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

const CLI::Option* option(const CLI::App& parser, const std::string& word) {
  return word.size() > 1 && word[0] == '-' ? parser.get_option_no_throw(name_of(word)) : nullptr;
}

}  // namespace

void check_option_values(const CLI::App& parser, const std::vector<std::string>& words) {
  bool is_option_possible = true;  // until "--"
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].empty()) throw UsageError("an empty word; a variable of the shell may be unset");
    is_option_possible &= words[i] != "--";
    if (!is_option_possible) continue;
    const CLI::Option* given = option(parser, words[i]);
    if (given == nullptr || given->get_items_expected_max() == 0) continue;
    const std::string name = name_of(words[i]);
    if (words[i] == name + "=") {
      throw UsageError(fmt::format("{}: expected a value after '='", name));
    }
    if (words[i] != name || i + 1 == words.size()) continue;
    if (words[i + 1].empty()) throw UsageError(fmt::format("{}: its value is empty", name));
    if (option(parser, words[i + 1]) != nullptr) {
      throw UsageError(fmt::format("{}: expected a value, not '{}'", words[i], words[i + 1]));
    }
    ++i;  // the value, which may look like anything
  }
}

}  // namespace flipsat::tools
