// A main for fuzz targets that are not built with clang's -fsanitize=fuzzer:
//
//   TARGET [--mutate COUNT] FILE...
//
// runs the target on the files, and with --mutate on COUNT random changes of each (the same ones
// every time).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace flipsat::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

#ifndef __clang__
// A few bytes changed, dropped, doubled, or copied from elsewhere in the text.
inline void mutate(std::string& text, std::mt19937_64& random) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : static_cast<size_t>(random() % n); };
  const size_t changes = 1 + below(4);
  for (size_t i = 0; i < changes; ++i) {
    const size_t at = below(text.size() + 1);
    const size_t length = std::min(text.size() - at, 1 + below(below(3) == 0 ? 30 : 4));
    switch (below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), length));
        break;
      case 3:
        text.insert(at, 1, static_cast<char>(random()));
        break;
      default:
        constexpr char kTelling[] = "()\",:;#?{}[]=<>\n 019-e\\";
        text.replace(at, std::min<size_t>(length, 1), 1, kTelling[below(sizeof kTelling - 1)]);
    }
  }
}
#endif

}  // namespace flipsat::fuzz

#ifndef __clang__
int main(int argc, char** argv) {
  const auto run = [](const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  int first = 1;
  long mutations = 0;
  if (argc > 2 && std::strcmp(argv[1], "--mutate") == 0) {
    mutations = std::atol(argv[2]);
    first = 3;
  }
  for (int i = first; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    run(bytes);
    std::mt19937_64 random(static_cast<uint64_t>(i));
    for (long n = 0; n < mutations; ++n) {
      std::string changed = bytes;
      flipsat::fuzz::mutate(changed, random);
      run(changed);
    }
  }
  std::printf("%d files\n", argc - first);
  return 0;
}
#endif
