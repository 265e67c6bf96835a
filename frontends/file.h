// Files of modules: which kind they are, compressed or not.
#pragma once

#include <optional>
#include <string>

#include "frontends/compression.h"
#include "hlo/module.h"

namespace flipsat::frontends {

struct FileContent {
  std::string bytes;                             // unpacked
  Compression compression = Compression::kNone;  // how they were packed
};

// Reads a file (or standard input for "-"). Kind and compression are told by the content: gzip and
// zstd magic, also one inside the other, protos by their first fields, else text. Throws
// hlo::InputError (also for a file that cannot be opened, a damaged or cut-off stream, and content
// past `max_bytes` after decompression).
FileContent read_content(const std::string& path, size_t max_bytes = size_t{4} << 30);
std::string read_bytes(const std::string& path, size_t max_bytes = size_t{4} << 30);
// As it is, packed or not.
std::string read_raw(const std::string& path, size_t max_bytes = size_t{4} << 30);
// What `read_content` does with what it has read; `shown` stands for the file in messages.
FileContent unpack(std::string bytes, const std::string& shown, size_t max_bytes = size_t{4} << 30);
hlo::Module read_module(const std::string& path);
// What `read_module` does with what it has read: a proto or text.
hlo::Module module_from(std::string bytes, const std::string& shown);

// Writes whole or not at all: to a temporary file beside `path` that is then renamed; compressed as
// the name says (.gz, .zst) where nothing else is asked for; "-" is standard output, never
// compressed. A module is written as its file's name says, else as it was read. Throws
// std::runtime_error where the system refuses.
void write_bytes(const std::string& path, const std::string& bytes,
                 std::optional<Compression> compression = std::nullopt);
void write_module(const std::string& path, const hlo::Module& module);

enum class FileKind { kText, kProto };

// What the name of a file to write says, in capitals or not: .pb, or .hlo and .txt, before any .gz
// or .zst.
std::optional<FileKind> kind_of_name(const std::string& path);
FileKind kind_of(const hlo::Module& module);  // that it was read from; text where it was made
std::string module_bytes(const hlo::Module& module, FileKind kind);

}  // namespace flipsat::frontends
