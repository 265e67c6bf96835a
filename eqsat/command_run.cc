// eqsat run FILE.wl: loads a workload, saturates it, and prints statistics.
#include <memory>

#include "eqsat/commands.h"
#include "eqsat/files.h"
#include "eqsat/memory.h"
#include "eqsat/run_report.h"

namespace flipsat::eqsat {
namespace {

struct Arguments {
  std::string file;
  SaturationArguments saturation;
  bool json = false;
  bool stats = false;
  size_t repeat = 1;
};

void run(const Arguments& arguments) {
  RunRecord record;
  const Stopwatch parse_time;
  egraph::WorkloadFile workload = read_workload_file(arguments.file, arguments.saturation);
  record.parse_seconds = parse_time.seconds();
  record.workload = workload.name.empty() ? arguments.file : workload.name;
  record.peak_mib_before = peak_memory_mib();
  record.has_rerun = arguments.saturation.rerun;
  for (size_t i = 0; i < arguments.repeat; ++i) {
    const bool is_last = i + 1 == arguments.repeat;
    const Saturated result =
        saturate(workload, arguments.saturation, is_last ? StartNodes::kDrop : StartNodes::kKeep);
    record.nodes = result.nodes;
    record.classes = result.classes;
    record.runs.push_back(
        {result.load_seconds, result.compile_seconds, result.report, result.rerun_seconds});
  }
  record.peak_mib = peak_memory_mib();
  print(arguments.json ? json_line(record) : text_report(record, arguments.stats));
}

}  // namespace

Command run_command(CLI::App& eqsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = eqsat.add_subcommand("run", "Saturate a workload and print statistics");
  parser->add_option("FILE", arguments->file, "The workload (.wl); - is standard input")
      ->required();
  add_saturation_options(*parser, arguments->saturation);
  add_start_option(*parser, arguments->saturation);
  parser->add_flag("--stats", arguments->stats, "Also a table of the rules");
  parser->add_flag("--json", arguments->json, "One line of JSON instead");
  parser->add_option("--repeat", arguments->repeat, "Load and run so often; times are medians")
      ->check(whole_number())
      ->check(CLI::PositiveNumber);
  parser->add_flag("--explanations", arguments->saturation.explanations,
                   "Keep what explanations want, to see what that costs");
  parser->add_flag("--rerun", arguments->saturation.rerun,
                   "Run one iteration more at the end, and tell its time too");
  return {parser, [arguments] { run(*arguments); }};
}

}  // namespace flipsat::eqsat
