#include "python/bindings/words.h"

#include <algorithm>

#include "python/bindings/strings.h"
#include "tools/option_values.h"
#include "tools/usage_error.h"

namespace flipsat::python {

namespace nb = nanobind;

Words to_words(nb::typed<nb::list, nb::str> words) {
  Words result;
  for (nb::handle word : words) {
    result.push_back(to_bytes(nb::cast<nb::str>(word)));
    if (result.back().find('\0') != std::string::npos) {
      throw tools::UsageError("a word has a null character in it");
    }
  }
  return result;
}

void parse_words(const Words& words, const std::function<void(CLI::App&)>& declare) {
  CLI::App parser;
  parser.set_help_flag();
  declare(parser);
  tools::check_option_values(parser, words);
  Words reversed(words.rbegin(), words.rend());  // as CLI11 takes a vector
  try {
    parser.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    throw tools::UsageError(error.what());
  }
}

}  // namespace flipsat::python
