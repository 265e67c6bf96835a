#include "tools/batch/run.h"

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <string_view>

#include "tools/batch/progress.h"
#include "tools/batch/workers.h"

namespace flipsat::tools {
namespace {

// While it lives, Ctrl-C says how to go on before it ends the process as it ends others.
class Interruption {
 public:
  Interruption() : before_(std::signal(SIGINT, &Interruption::end)) {
    if (before_ == SIG_IGN) std::signal(SIGINT, SIG_IGN);  // as nohup and shells ask
  }
  ~Interruption() { std::signal(SIGINT, before_); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  static void end(int number) {
    constexpr std::string_view kText = "\nflipsat: stopped; the same command goes on from here\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText.data(), kText.size());
    std::signal(number, SIG_DFL);
    std::raise(number);
  }

  void (*before_)(int);
};

}  // namespace

void run_batch(Batch& batch, const RunOptions& options) {
  const std::vector<Batch::Task>& tasks = batch.tasks();
  const Interruption interruption;
  BatchProgress progress(batch.records().size(), tasks, options.shows_progress);
  const WorkerOptions how = {options.processes, options.memory};
  batch.begin({{"processes", process_count(tasks.size(), how)}});
  const auto work = [&](size_t task) { return encode(batch.carry_out(tasks[task])); };
  const auto done = [&](size_t task, const WorkerAnswer& answer) {
    const Json by = {{"worker", answer.worker}, {"ms", std::round(answer.milliseconds)}};
    if (answer.failure.empty()) {
      batch.note(tasks[task], decode_outcome(answer.text), by);
    } else {
      batch.note_failure(tasks[task], answer.failure, by);
    }
    progress.advance(tasks[task]);
  };
  const auto retried = [&](size_t task, const std::string& why) {
    batch.log().note("retried", {{"module", batch.records()[tasks[task].files.front()].relative},
                                 {"key", tasks[task].key},
                                 {"why", why}});
  };
  run_in_workers(tasks.size(), how, work, done, retried);
}

}  // namespace flipsat::tools
