#include "tools/in_parallel.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace flipsat::tools {

void in_parallel(size_t count, int threads, const std::function<void(size_t)>& work,
                 const Progress& progress) {
  std::atomic<size_t> next = 0;
  std::mutex reporting;
  size_t done = 0;
  const auto work_on = [&] {
    for (size_t i = next++; i < count; i = next++) {
      work(i);
      const std::lock_guard lock(reporting);
      ++done;
      if (progress) progress(done);
    }
  };
  std::vector<std::jthread> workers;
  for (int i = 1; i < threads; ++i) workers.emplace_back(work_on);
  work_on();
}

}  // namespace flipsat::tools
