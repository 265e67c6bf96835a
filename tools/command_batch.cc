// flipsat batch DIR... -o OUT: every module below the folders.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "tools/batch.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/options.h"
#include "tools/output_files.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> folders;
  std::string output;
  bool quiet = false;
  DumpArguments dump;
  OptimizerArguments optimizer;
};

constexpr const char* kReportName = "report.json";

// Two inputs of one name would be one output.
void check_names_differ(const std::vector<ModuleFile>& modules) {
  std::map<std::string, std::string> path_of = {{kReportName, "the report"}};
  for (const ModuleFile& file : modules) {
    const auto [seen, added] = path_of.emplace(file.relative, file.path);
    if (added) continue;
    throw UsageError(fmt::format("{} and {} would both be written to {}", seen->second, file.path,
                                 file.relative));
  }
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UsageError(fmt::format("cannot make {}: {}", folder, error.message()));
  check_can_write((fs::path(folder) / kReportName).string());
}

ExitCode run(const Arguments& arguments) {
  const optimizer::Options options = optimizer_options(arguments.optimizer);
  if (std::count(arguments.folders.begin(), arguments.folders.end(), "-") > 0) {
    throw UsageError("- is no folder; 'flipsat optimize' reads standard input");
  }
  const Inputs inputs = module_inputs(arguments.folders, arguments.output, arguments.dump);
  const std::vector<ModuleFile>& files = inputs.files;
  check_names_differ(files);
  make_folder(arguments.output);

  BatchOptions batch{options, arguments.output, arguments.optimizer.threads, nullptr};
  const bool shows_progress = !arguments.quiet && isatty(STDERR_FILENO) != 0;
  if (shows_progress) {
    batch.progress = [&](size_t done) {
      fmt::print(stderr, "\r{} of {} modules", done, files.size());
      std::fflush(stderr);
    };
  }
  const std::vector<BatchRecord> records = run_batch(files, batch);
  if (shows_progress) fmt::print(stderr, "\r\x1b[K");

  write_output((fs::path(arguments.output) / kReportName).string(),
               json_text(batch_report(records, options)));
  if (!arguments.quiet)
    print(stdout, batch_table(records, options) + skipped_lines(inputs, arguments.dump));
  for (const BatchRecord& record : records) {
    if (arguments.quiet && !record.error.empty()) fmt::print(stderr, "{}\n", record.error);
  }
  const bool failed = std::any_of(records.begin(), records.end(),
                                  [](const BatchRecord& record) { return !record.error.empty(); });
  return failed ? kAnswerIsNo : kDone;
}

}  // namespace

Command batch_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = flipsat.add_subcommand("batch", "Optimise every module below some folders");
  parser->add_option("DIR", arguments->folders, "Folders; a single file does too")->required();
  parser
      ->add_option("-o,--output", arguments->output,
                   "The folder for results, under their relative names, and report.json")
      ->required()
      ->type_name("OUT");
  parser->add_flag("--quiet", arguments->quiet, "No table and no progress");
  add_dump_options(*parser, arguments->dump);
  add_optimizer_options(*parser, arguments->optimizer);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
