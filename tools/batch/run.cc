#include "tools/batch/run.h"

#include <cmath>

#include "tools/batch/progress.h"
#include "tools/batch/workers.h"

namespace flipsat::tools {

void run_batch(Batch& batch, const RunOptions& options) {
  const std::vector<Batch::Task>& tasks = batch.tasks();
  BatchProgress progress(batch.records().size(), tasks, options.shows_progress);
  batch.log().note("begin", {{"modules", batch.records().size()},
                             {"to_do", tasks.size()},
                             {"processes", options.processes}});
  const auto work = [&](size_t task) { return encode(batch.carry_out(tasks[task])); };
  const auto done = [&](size_t task, const WorkerAnswer& answer) {
    const Json how = {{"worker", answer.worker}, {"ms", std::round(answer.milliseconds)}};
    if (answer.failure.empty()) {
      batch.note(tasks[task], decode_outcome(answer.text), how);
    } else {
      batch.note_failure(tasks[task], answer.failure, how);
    }
    progress.advance(tasks[task]);
  };
  const auto retried = [&](size_t task, const std::string& why) {
    batch.log().note("retried", {{"module", batch.records()[tasks[task].files.front()].relative},
                                 {"key", tasks[task].key},
                                 {"why", why}});
  };
  run_in_workers(tasks.size(), {options.processes, options.memory}, work, done, retried);
}

}  // namespace flipsat::tools
