// A batch on this machine.
#pragma once

#include <cstdint>

#include "tools/batch/batch.h"

namespace flipsat::tools {

struct RunOptions {
  int processes = 1;
  int64_t memory = 0;           // bytes, of all together; 0: no bound
  bool shows_progress = false;  // on standard error
};

// All tasks of the batch. To be called from a process of one thread.
void run_batch(Batch& batch, const RunOptions& options);

}  // namespace flipsat::tools
