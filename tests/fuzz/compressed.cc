// Fuzz target of compressed files: any bytes are unpacked within the limit or refused, and what was
// unpacked comes back after it is packed anew.
#include "frontends/compression.h"
#include "hlo/input_error.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flipsat;
  using frontends::Compression;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr size_t kMost = size_t{1} << 20;
  for (const Compression kind : {Compression::kGzip, Compression::kZstd}) {
    std::string plain;
    try {
      plain = frontends::decompress(bytes, kind, kMost, "fuzz");
    } catch (const hlo::InputError&) {
      continue;
    }
    fuzz::require(plain.size() <= kMost, "more than the limit is unpacked");
    const std::string again = frontends::compress(plain, kind);
    fuzz::require(frontends::decompress(again, kind, kMost, "again") == plain,
                  "packed anew it is another");
  }
  return 0;
}
