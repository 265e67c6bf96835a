#include "tools/batch/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace flipsat::tools {

std::string readable_duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

BatchProgress::BatchProgress(size_t modules, const std::vector<Batch::Task>& tasks, bool is_shown)
    : modules_(modules), done_(modules), is_shown_(is_shown) {
  for (const Batch::Task& task : tasks) {
    done_ -= task.files.size();
    bytes_left_ += task.bytes;
  }
}

BatchProgress::~BatchProgress() {
  if (is_shown_) fmt::print(stderr, "\r\x1b[K");
}

void BatchProgress::advance(const Batch::Task& task) {
  done_ += task.files.size();
  advanced_ += task.files.size();
  bytes_left_ -= task.bytes;
  bytes_done_ += task.bytes;
  constexpr std::chrono::milliseconds kPause(100);
  const Clock::time_point now = Clock::now();
  if (!is_shown_ || (now - shown_ < kPause && done_ < modules_)) return;
  shown_ = now;
  fmt::print(stderr, "\r\x1b[K{}", line(std::chrono::duration<double>(now - began_).count()));
  std::fflush(stderr);
}

std::string BatchProgress::line(double seconds) const {
  std::string text = fmt::format("{} of {} modules", done_, modules_);
  if (seconds <= 0 || bytes_done_ == 0) return text;
  text += fmt::format(", {:.1f}/s", static_cast<double>(advanced_) / seconds);
  if (bytes_left_ == 0) return text;
  const double left = seconds * static_cast<double>(bytes_left_) / static_cast<double>(bytes_done_);
  return text + fmt::format(", {} left", readable_duration(left));
}

}  // namespace flipsat::tools
