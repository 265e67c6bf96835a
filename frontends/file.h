// Files of modules: which kind they are, compressed or not.
#pragma once

#include <string>

#include "hlo/module.h"

namespace flipsat::frontends {

// Reads a file (or standard input for "-"). Kind and compression are told by the content: gzip and
// zstd magic, else text. Throws hlo::InputError (also for a file that cannot be opened, a damaged
// or cut-off stream, and content past `max_bytes` after decompression).
std::string read_bytes(const std::string& path, size_t max_bytes = size_t{4} << 30);
hlo::Module read_module(const std::string& path);

// Writes whole or not at all: to a temporary file beside `path` that is then renamed; compressed as
// the name says (.gz, .zst); "-" is standard output. Throws std::runtime_error where the system
// refuses.
void write_bytes(const std::string& path, const std::string& bytes);
void write_module(const std::string& path, const hlo::Module& module);

}  // namespace flipsat::frontends
