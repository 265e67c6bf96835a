// How far a batch is, on a terminal: rate, and time left by the bytes that are left to do.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tools/batch/batch.h"

namespace flipsat::tools {

// "1 h 05 min", "3 min 20 s", "8 s".
std::string readable_duration(double seconds);

class BatchProgress {
 public:
  BatchProgress(size_t modules, const std::vector<Batch::Task>& tasks, bool is_shown);
  ~BatchProgress();
  BatchProgress(const BatchProgress&) = delete;
  BatchProgress& operator=(const BatchProgress&) = delete;

  void advance(const Batch::Task& task);
  // "120 of 2000 modules, 14.2/s, 2 min 12 s left", after that many seconds.
  std::string line(double seconds) const;

 private:
  using Clock = std::chrono::steady_clock;

  size_t modules_;
  size_t done_ = 0;  // of them, at the beginning too
  size_t advanced_ = 0;
  uint64_t bytes_left_ = 0, bytes_done_ = 0;
  bool is_shown_;
  Clock::time_point began_ = Clock::now(), shown_;
};

}  // namespace flipsat::tools
