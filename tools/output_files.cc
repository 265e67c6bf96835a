#include "tools/output_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "frontends/file.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UsageError(fmt::format("cannot write {}: {}", path, why));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// The place that a rename should hit: a link stays a link, and its target is replaced.
fs::path resolved(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? fs::path(path) : target;
}

bool is_written_directly(const std::string& path) {
  if (path == "-") return true;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void write_directly(const std::string& path, const std::string& bytes) {
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) refuse(path, std::strerror(errno));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool flushed = std::fflush(file) == 0;
  const std::string why = std::strerror(errno);
  if (file != stdout) std::fclose(file);
  if (!written || !flushed) refuse(path == "-" ? "standard output" : path, why);
}

}  // namespace

OutputFiles::~OutputFiles() {
  std::error_code ignored;  // nothing better can be done about a file that does not go away
  for (const Staged& file : staged_) fs::remove(file.temporary, ignored);
}

void OutputFiles::add(const std::string& path, const std::string& bytes) {
  if (is_written_directly(path)) {
    direct_.push_back({path, bytes});
    return;
  }
  const fs::path target = resolved(path);
  // The extension stays: it decides the compression.
  const fs::path temporary =
      folder_of(target) /
      fmt::format(".flipsat-{}-{}{}", getpid(), staged_.size(), target.extension().string());
  staged_.push_back({target.string(), temporary.string()});
  try {
    frontends::write_bytes(temporary.string(), bytes);
  } catch (const std::runtime_error& error) {
    refuse(path, error.what());
  }
}

void OutputFiles::commit() {
  for (const Direct& file : direct_) write_directly(file.path, file.bytes);
  direct_.clear();
  for (const Staged& file : staged_) {
    std::error_code error;
    fs::rename(file.temporary, file.path, error);
    if (error) refuse(file.path, error.message());
  }
  staged_.clear();
}

void check_can_write(const std::string& path) {
  if (path == "-") return;
  if (fs::is_directory(path)) refuse(path, "it is a directory");
  if (is_written_directly(path)) {
    if (access(path.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
    return;
  }
  const fs::path folder = folder_of(resolved(path));
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(path, std::strerror(errno));
}

void write_output(const std::string& path, const std::string& bytes) {
  OutputFiles files;
  files.add(path, bytes);
  files.commit();
}

}  // namespace flipsat::tools
