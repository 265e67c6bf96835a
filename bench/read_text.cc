// How fast HLO text is read and written: megabytes a second on the files named, best of several
// runs, text in memory.
//
//   build/bench_read_text FILE...
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "frontends/file.h"
#include "frontends/text/text.h"

namespace {

constexpr int kRuns = 7;

template <class Work>
double best_milliseconds(Work work) {
  double best = 1e300;
  for (int run = 0; run < kRuns; ++run) {
    auto start = std::chrono::steady_clock::now();
    work();
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("{:>8} {:>9} {:>9} {:>9} {:>9}  file\n", "MB", "read ms", "MB/s", "write ms", "MB/s");
  for (int i = 1; i < argc; ++i) {
    std::string text = flipsat::frontends::read_bytes(argv[i]);
    double megabytes = static_cast<double>(text.size()) / 1e6;
    double read = best_milliseconds([&] { flipsat::frontends::read_text(text, argv[i]); });
    flipsat::hlo::Module module = flipsat::frontends::read_text(text, argv[i]);
    double write = best_milliseconds([&] { flipsat::frontends::write_text(module); });
    fmt::print("{:8.3f} {:9.2f} {:9.0f} {:9.2f} {:9.0f}  {}\n", megabytes, read,
               megabytes / read * 1e3, write, megabytes / write * 1e3, argv[i]);
  }
}
