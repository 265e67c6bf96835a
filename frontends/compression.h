// gzip and zstd streams in memory.
#pragma once

#include <string>
#include <string_view>

namespace flipsat::frontends {

enum class Compression { kNone, kGzip, kZstd };

Compression compression_of_content(std::string_view bytes);  // by magic number
Compression compression_of_name(std::string_view path);      // by .gz, .zst

// All members or frames, one after the other. Throws hlo::InputError (place: `file`) where the
// stream is damaged, cut off, or longer than `max_bytes` when unpacked.
std::string decompress(std::string_view bytes, Compression compression, size_t max_bytes,
                       const std::string& file);
std::string compress(std::string_view bytes, Compression compression);

}  // namespace flipsat::frontends
