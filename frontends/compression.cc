#include "frontends/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "hlo/input_error.h"

namespace flipsat::frontends {
namespace {

constexpr size_t kChunk = size_t{1} << 18;
// zlib counts in 32 bits.
constexpr size_t kMaxInput = size_t{1} << 30;
constexpr int kGzipWindow = 15 + 16;

struct ForeignCompression {
  std::string_view name;
  std::string_view ending;
  std::string_view magic;  // empty: none that text could not begin with
};

using namespace std::string_view_literals;

constexpr std::array<ForeignCompression, 10> kForeign = {{
    {"bzip2", ".bz2", "BZh9"sv},
    {"xz", ".xz",
     "\xfd"
     "7zXZ\0"sv},
    {"lz4", ".lz4", "\x04\x22\x4d\x18"sv},
    {"zip", ".zip", "PK\x03\x04"sv},
    {"7z", ".7z", "7z\xbc\xaf\x27\x1c"sv},
    {"compress", ".z", "\x1f\x9d"sv},
    {"lzma", ".lzma", {}},
    {"brotli", ".br", {}},
    {"snappy", ".sz", {}},
    {"lzop", ".lzo", {}},
}};

// `offset` is how far the packed bytes were understood.
[[noreturn]] void fail(const std::string& file, size_t offset, const std::string& message) {
  constexpr size_t kLast = std::numeric_limits<int>::max();
  throw hlo::InputError({file, 1, static_cast<int>(std::min(offset + 1, kLast))}, message);
}

void check_size(const std::string& out, size_t max_bytes, const std::string& file, size_t offset) {
  if (out.size() > max_bytes) {
    fail(file, offset,
         "expected at most " + std::to_string(max_bytes) + " bytes after decompression");
  }
}

class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream* operator->() { return &stream_; }
  z_stream* get() { return &stream_; }

 private:
  z_stream stream_{};
};

std::string gunzip(std::string_view bytes, size_t max_bytes, const std::string& file) {
  Inflater stream;
  std::string out;
  std::vector<char> chunk(kChunk);
  size_t taken = 0;
  int status = Z_OK;
  while (true) {
    if (stream->avail_in == 0) {
      size_t count = std::min(bytes.size() - taken, kMaxInput);
      stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
      stream->avail_in = static_cast<uInt>(count);
      taken += count;
    }
    if (status == Z_STREAM_END) {
      // Another member, or zeros that pad the file to a block.
      size_t rest = taken - stream->avail_in;
      if (bytes.find_first_not_of('\0', rest) == bytes.npos) return out;
      inflateReset(stream.get());
    }
    stream->next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream->avail_out = static_cast<uInt>(chunk.size());
    status = inflate(stream.get(), Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream->avail_out);
    const size_t offset = taken - stream->avail_in;
    check_size(out, max_bytes, file, offset);
    if (status == Z_STREAM_END) continue;
    if (status != Z_OK && status != Z_BUF_ERROR) {
      fail(file, offset, "expected a sound gzip stream, it is damaged here or before");
    }
    bool starved = stream->avail_in == 0 && taken == bytes.size();
    if (starved && stream->avail_out > 0) {
      fail(file, offset, "expected the rest of a gzip stream, it is cut off");
    }
  }
}

std::string unzstd(std::string_view bytes, size_t max_bytes, const std::string& file) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  std::string out;
  std::vector<char> chunk(kChunk);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  size_t wanted = 0;  // 0: a frame has ended
  while (true) {
    ZSTD_outBuffer piece{chunk.data(), chunk.size(), 0};
    wanted = ZSTD_decompressStream(context.get(), &piece, &in);
    if (ZSTD_isError(wanted)) {
      fail(file, in.pos, "expected a sound zstd stream, it is damaged here or before");
    }
    out.append(chunk.data(), piece.pos);
    check_size(out, max_bytes, file, in.pos);
    if (in.pos < in.size) continue;
    if (wanted == 0) return out;
    if (piece.pos < piece.size) {
      fail(file, in.pos, "expected the rest of a zstd stream, it is cut off");
    }
  }
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out;
  std::vector<char> chunk(kChunk);
  size_t taken = 0;
  int status = Z_OK;
  do {
    if (stream.avail_in == 0 && taken < bytes.size()) {
      size_t count = std::min(bytes.size() - taken, kMaxInput);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
      stream.avail_in = static_cast<uInt>(count);
      taken += count;
    }
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = deflate(&stream, taken == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream.avail_out);
  } while (status != Z_STREAM_END);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view bytes) {
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

}  // namespace

Compression compression_of_content(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return Compression::kGzip;
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  return Compression::kNone;
}

Compression compression_of_name(std::string_view path) {
  if (has_ending(path, ".gz")) return Compression::kGzip;
  if (has_ending(path, ".zst")) return Compression::kZstd;
  return Compression::kNone;
}

std::string_view foreign_compression_of_content(std::string_view bytes) {
  for (const ForeignCompression& foreign : kForeign) {
    if (!foreign.magic.empty() && bytes.starts_with(foreign.magic)) return foreign.name;
  }
  return {};
}

std::string_view foreign_compression_of_name(std::string_view path) {
  for (const ForeignCompression& foreign : kForeign) {
    if (has_ending(path, foreign.ending)) return foreign.name;
  }
  return {};
}

bool has_ending(std::string_view path, std::string_view ending) {
  if (path.size() < ending.size()) return false;
  return std::equal(ending.begin(), ending.end(), path.end() - ending.size(),
                    [](unsigned char a, unsigned char b) { return a == std::tolower(b); });
}

std::string decompress(std::string_view bytes, Compression compression, size_t max_bytes,
                       const std::string& file) {
  switch (compression) {
    case Compression::kGzip:
      return gunzip(bytes, max_bytes, file);
    case Compression::kZstd:
      return unzstd(bytes, max_bytes, file);
    default:
      return std::string(bytes);
  }
}

std::string compress(std::string_view bytes, Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return gzip(bytes);
    case Compression::kZstd:
      return zstd(bytes);
    default:
      return std::string(bytes);
  }
}

}  // namespace flipsat::frontends
