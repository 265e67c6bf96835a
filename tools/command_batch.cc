// flipsat batch DIR... -o OUT: every module below the folders.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "tools/batch/options.h"
#include "tools/batch/run.h"
#include "tools/batch/workers.h"
#include "tools/commands.h"
#include "tools/memory.h"
#include "tools/output_files.h"
#include "tools/report_files.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

void check_memory(int64_t memory) {
  if (memory == 0 || memory >= least_memory()) return;
  throw UsageError(
      fmt::format("--memory: a batch needs at least {}", readable_memory(least_memory())));
}

ExitCode run(const BatchArguments& arguments) {
  const int64_t memory = memory_limit(arguments.optimizer);
  check_memory(memory);
  const OpenedBatch opened = open_batch(arguments);
  Batch& batch = *opened.batch;
  run_batch(batch, {thread_count(arguments.optimizer), memory,
                    !arguments.quiet && isatty(STDERR_FILENO) != 0});
  write_reports(opened, arguments);

  if (!arguments.quiet) {
    print(names_standard_output(arguments.reports) ? stderr : stdout,
          batch_text(opened, arguments));
  }
  ExitCode status = kDone;
  for (const BatchRecord& record : batch.records()) {
    if (record.error.empty()) continue;
    status = kAnswerIsNo;
    if (arguments.quiet) fmt::print(stderr, "{}\n", record.error);
  }
  return status;
}

}  // namespace

Command batch_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<BatchArguments>();
  CLI::App* parser = flipsat.add_subcommand("batch", "Optimise every module below some folders");
  add_batch_options(*parser, *arguments);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
