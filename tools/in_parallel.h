// One piece of work for each of many files, on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace flipsat::tools {

// Called after each piece with how many are done, from any thread, never two at once.
using Progress = std::function<void(size_t done)>;

// `work` for 0 to count-1, each once, in no order that a result may depend on. It must not throw.
void in_parallel(size_t count, int threads, const std::function<void(size_t)>& work,
                 const Progress& progress);

}  // namespace flipsat::tools
