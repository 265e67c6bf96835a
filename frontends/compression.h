// gzip and zstd streams in memory.
#pragma once

#include <string>
#include <string_view>

namespace flipsat::frontends {

enum class Compression { kNone, kGzip, kZstd };

Compression compression_of_content(std::string_view bytes);  // by magic number
Compression compression_of_name(std::string_view path);      // by .gz, .zst, in capitals too

// "bzip2" for a stream of bzip2, or a name that says so, and so on; empty where none is told. Such
// files are neither read nor written.
std::string_view foreign_compression_of_content(std::string_view bytes);
std::string_view foreign_compression_of_name(std::string_view path);

// Does a path end so, in capitals or not?
bool has_ending(std::string_view path, std::string_view ending);

// All members or frames, one after the other. Throws hlo::InputError (place: line 1 of `file`, the
// column counts bytes) where the stream is damaged, cut off, or longer than `max_bytes` when
// unpacked.
std::string decompress(std::string_view bytes, Compression compression, size_t max_bytes,
                       const std::string& file);
std::string compress(std::string_view bytes, Compression compression);

}  // namespace flipsat::frontends
