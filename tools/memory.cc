#include "tools/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>

#include "tools/exit_codes.h"
#include "tools/units.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

constexpr int kResident = 1, kData = 5;  // fields of /proc/self/statm, in pages

int64_t statm(int field) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "r"),
                                                             &std::fclose);
  long long pages = 0;
  for (int i = 0; file && i <= field; ++i) {
    if (std::fscanf(file.get(), "%lld", &pages) != 1) return 0;
  }
  return pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

int64_t memory_size(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit(end);
  for (char& letter : unit) letter = static_cast<char>(std::tolower(letter));
  if (unit.ends_with("ib")) unit.resize(unit.size() - 2);
  if (unit.ends_with('b')) unit.pop_back();
  constexpr std::string_view kUnits = "kmgt";
  const size_t power = unit.size() == 1 ? kUnits.find(unit[0]) + 1 : 0;
  const double bytes = number * std::pow(1024.0, static_cast<double>(power));
  const bool has_digit = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
  if (!has_digit || unit.size() > 1 || (unit.size() == 1 && power == 0) || !(bytes >= 1) ||
      bytes > 1e18) {
    throw UsageError(fmt::format("--memory: expected a size such as 512M or 4G, not '{}'", text));
  }
  return static_cast<int64_t>(bytes);
}

std::string readable_memory(int64_t bytes) { return readable_bytes(bytes); }

int64_t resident_bytes() { return statm(kResident); }

int64_t private_bytes() { return statm(kData); }

void limit_memory(int64_t bytes, void (*exhausted)()) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(bytes));
  setrlimit(RLIMIT_DATA, &limit);
  std::set_new_handler(exhausted);
}

void limit_this_process(int64_t bytes) {
  if (bytes == 0) return;
  const int64_t left = bytes - kMappedBytes;
  if (left <= private_bytes()) {
    throw UsageError(fmt::format("--memory: {} is needed at least",
                                 readable_memory(private_bytes() + 2 * kMappedBytes)));
  }
  limit_memory(left, [] {
    constexpr std::string_view kMessage = "flipsat: error: there is not enough memory\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
    _exit(kBadUsage);
  });
}

}  // namespace flipsat::tools
