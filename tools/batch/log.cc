#include "tools/batch/log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

// "2026-12-01T08:15:30.250Z"
std::string now() {
  const auto time = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     milliseconds.count());
}

}  // namespace

BatchLog::BatchLog(const std::string& path) : path_(path) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) throw UsageError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  char last = '\n';
  const off_t size = lseek(file_, 0, SEEK_END);
  if (size > 0 && pread(file_, &last, 1, size - 1) == 1 && last != '\n') {
    [[maybe_unused]] const ssize_t written = write(file_, "\n", 1);
  }
}

BatchLog::~BatchLog() { close(file_); }

void BatchLog::note(const std::string& event, const Json& fields) {
  Json line = {{"time", now()}, {"event", event}};
  line.update(fields);
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  // In one call: lines of a run that is killed are whole.
  if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw UsageError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  }
}

}  // namespace flipsat::tools
