// Options as words of a command line, read by the parser of the commands.
#pragma once

#include <nanobind/nanobind.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace flipsat::python {

using Words = std::vector<std::string>;

Words to_words(nanobind::typed<nanobind::list, nanobind::str> words);

// `declare` says which options there are. Throws tools::UsageError as the command would.
void parse_words(const Words& words, const std::function<void(CLI::App&)>& declare);

}  // namespace flipsat::python
