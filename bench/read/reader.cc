// Our side of bench/read/compare: a line on standard input names a file, which is read once more
// from memory, and its milliseconds of CPU time are the answer. Files are loaded when first named.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <iostream>
#include <map>
#include <string>

#include "frontends/file.h"

namespace {

double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

int main() {
  using namespace flipsat;
  std::map<std::string, std::string> bytes_of;
  for (std::string path; std::getline(std::cin, path);) {
    auto [entry, is_new] = bytes_of.try_emplace(path);
    if (is_new) entry->second = frontends::read_bytes(path);
    const double start = milliseconds();
    const hlo::Module module = frontends::module_from(entry->second, path);  // copies the bytes
    const double elapsed = milliseconds() - start;
    fmt::print("{:.6f} {}\n", elapsed, module.live_instruction_count());
    std::fflush(stdout);
  }
}
