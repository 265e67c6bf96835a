#include "eqsat/files.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "eqsat/commands.h"

namespace flipsat::eqsat {
namespace {

using File = std::unique_ptr<std::FILE, decltype([](std::FILE* file) { std::fclose(file); })>;

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw UsageError(std::string("cannot ") + what + " " + path + ": " + std::strerror(errno));
}

std::string read_all(std::FILE* file, const std::string& path, size_t expected_size) {
  std::string text;
  text.reserve(expected_size);
  char buffer[1 << 14];
  while (const size_t read = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, read);
  if (std::ferror(file) != 0) fail("read", path);
  return text;
}

}  // namespace

std::string read_file(const std::string& path) {
  if (path == "-") return read_all(stdin, "standard input", 0);
  const File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) fail("open", path);
  std::error_code unknown;
  const bool is_file = std::filesystem::is_regular_file(path, unknown);
  return read_all(file.get(), path, is_file ? std::filesystem::file_size(path, unknown) : 0);
}

void write_file(const std::string& path, std::string_view text) {
  if (path == "-") return print(text);
  // Written beside it and put in its place when complete; devices and pipes are written as they
  // are.
  std::error_code error;
  const bool is_special =
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  const std::string beside = is_special ? path : path + ".part";
  File file(std::fopen(beside.c_str(), "wb"));
  if (file == nullptr) fail("open", path);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  const bool is_closed = std::fclose(file.release()) == 0;
  bool is_done = is_written && is_closed;
  if (is_done && !is_special) is_done = std::rename(beside.c_str(), path.c_str()) == 0;
  if (is_done) return;
  if (!is_special) std::remove(beside.c_str());
  fail("write", path);
}

void print(std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!is_written || std::fflush(stdout) != 0) fail("write", "standard output");
}

}  // namespace flipsat::eqsat
