#include "tools/output_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
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

// Threads of a batch write to one folder at a time.
uint64_t next_number() {
  static std::atomic<uint64_t> next = 0;
  return next++;
}

bool is_written_directly(const std::string& path) {
  if (path == "-") return true;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void check_compression(const std::string& path) {
  const std::string_view foreign = frontends::foreign_compression_of_name(path);
  if (foreign.empty() || is_written_directly(path)) return;
  refuse(path, fmt::format("{} is not supported; .gz and .zst compress", foreign));
}

void keep_permissions(const fs::path& from, const fs::path& to) {
  std::error_code ignored;  // the file is new, or of somebody else
  const fs::file_status status = fs::status(from, ignored);
  if (fs::is_regular_file(status)) fs::permissions(to, status.permissions(), ignored);
}

void write_all(std::FILE* stream, const std::string& name, const std::string& bytes) {
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  if (!written || std::fflush(stream) != 0) refuse(name, std::strerror(errno));
}

void write_directly(const std::string& path, const std::string& bytes) {
  if (path == "-") return print(stdout, bytes);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  if (!file) refuse(path, std::strerror(errno));
  write_all(file.get(), path, bytes);
}

}  // namespace

OutputFiles::~OutputFiles() {
  std::error_code ignored;  // nothing better can be done about a file that does not go away
  for (const Staged& file : staged_) fs::remove(file.temporary, ignored);
}

void OutputFiles::add(const std::string& path, const std::string& bytes,
                      std::optional<frontends::Compression> compression) {
  if (!compression) check_compression(path);
  if (is_written_directly(path)) {
    direct_.push_back({path, bytes});
    return;
  }
  const fs::path target = resolved(path);
  const fs::path temporary =
      folder_of(target) / fmt::format(".flipsat-{}-{}", getpid(), next_number());
  staged_.push_back({target.string(), temporary.string()});
  try {
    frontends::write_bytes(temporary.string(), bytes,
                           compression.value_or(frontends::compression_of_name(path)));
    keep_permissions(target, temporary);
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
  check_compression(path);
  if (fs::is_directory(path)) refuse(path, "it is a directory");
  if (is_written_directly(path)) {
    if (access(path.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
    return;
  }
  const fs::path folder = folder_of(resolved(path));
  if (!fs::exists(folder)) refuse(path, fmt::format("there is no folder {}", folder.string()));
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(path, std::strerror(errno));
}

// Where a name leads, which need not be there yet; empty for "" and "-".
std::string place_of(const std::string& name) {
  if (name.empty() || name == "-") return "";
  std::error_code error;
  const fs::path place = fs::weakly_canonical(fs::absolute(name), error);
  return error ? "" : place.string();
}

bool is_one_place(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  if (a == b) return true;
  if (a == "-" || b == "-") return false;
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const std::string place = place_of(a);
  return !place.empty() && place == place_of(b);
}

void check_are_no_inputs(const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs) {
  std::set<std::string> places;
  for (const std::string& input : inputs) places.insert(place_of(input));
  places.erase("");
  for (const std::string& output : outputs) {
    if (places.count(place_of(output)) == 0) continue;
    throw UsageError(fmt::format("{} is an input, and would be written over", output));
  }
}

void write_output(const std::string& path, const std::string& bytes,
                  std::optional<frontends::Compression> compression) {
  OutputFiles files;
  files.add(path, bytes, compression);
  files.commit();
}

void print(std::FILE* stream, const std::string& text) {
  write_all(stream, stream == stderr ? "standard error" : "standard output", text);
}

}  // namespace flipsat::tools
