// Work in child processes: one that crashes, or needs more memory than it may have, takes nothing
// with it.
//
// Each piece runs in one of `count` processes. A process that dies in the middle of a piece is
// replaced, and the piece tried again when all others are done, alone and with all of the memory;
// if it dies again it has failed. When the parent dies, however it does, so do its children.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace flipsat::tools {

struct WorkerOptions {
  int count = 1;
  int64_t memory = 0;  // bytes, of all processes together; 0: no bound
};

struct WorkerAnswer {
  std::string text;     // what the work gave
  std::string failure;  // where it gave nothing: why
  double milliseconds = 0;
  int worker = 0;  // which of them, from 0
};

// The least that `memory` can be.
int64_t least_memory();
// How many processes will be at work: no more than pieces, and than memory allows.
size_t process_count(size_t pieces, const WorkerOptions& options);

// `work` for 0 to pieces-1, begun in that order; it may throw std::bad_alloc. `done` is called in
// this process, once for each piece, in the order in which they end; `retried` before a piece is
// tried again. To be called from a process of one thread. Throws UsageError where no process can be
// made.
void run_in_workers(size_t pieces, const WorkerOptions& options,
                    const std::function<std::string(size_t piece)>& work,
                    const std::function<void(size_t piece, const WorkerAnswer&)>& done,
                    const std::function<void(size_t piece, const std::string& why)>& retried);

}  // namespace flipsat::tools
