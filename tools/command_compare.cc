// flipsat compare IN...: what local passes and the e-graph make of modules, and whether these grew.
#include <cstdio>
#include <memory>

#include "frontends/file.h"
#include "tools/baseline.h"
#include "tools/commands.h"
#include "tools/compare.h"
#include "tools/inputs.h"
#include "tools/memory.h"
#include "tools/options.h"
#include "tools/output_files.h"
#include "tools/several_modules.h"

namespace flipsat::tools {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  DumpArguments dump;
  std::string json;
  std::string csv;
  std::string baseline;
  bool quiet = false;
  OptimizerArguments optimizer;
};

ExitCode run(const Arguments& arguments) {
  limit_this_process(memory_limit(arguments.optimizer));
  const optimizer::Options options = optimizer_options(arguments.optimizer);
  const Inputs inputs = module_inputs(arguments.inputs, "", arguments.dump);
  check_are_no_inputs({arguments.json, arguments.csv}, inputs.paths());
  check_are_no_inputs({arguments.json, arguments.csv}, option_files(arguments.optimizer));
  const bool is_one = is_one_module(arguments.inputs);
  Json baseline;
  if (!arguments.baseline.empty()) baseline = read_baseline(arguments.baseline);
  for (const std::string& file : {arguments.json, arguments.csv}) {
    if (!file.empty()) check_can_write(file);
  }
  std::vector<CompareRecord> records;
  for (const ModuleFile& file : inputs.files) {
    records.push_back({file.path, file.relative, std::nullopt, ""});
  }
  const std::vector<std::string> errors = run_on_each(
      records.size(), is_one, thread_count(arguments.optimizer), arguments.quiet, [&](size_t i) {
        records[i].comparison = compare_module(frontends::read_module(records[i].path), options);
      });
  for (size_t i = 0; i < records.size(); ++i) records[i].error = errors[i];

  const Json report = compare_report(records, options);
  BaselineCheck check;
  if (!arguments.baseline.empty()) check = check_baseline(baseline, report);
  OutputFiles files;
  if (!arguments.json.empty()) files.add(arguments.json, json_text(report));
  if (!arguments.csv.empty()) files.add(arguments.csv, compare_csv(records, options));
  files.commit();
  std::FILE* stream = arguments.json == "-" || arguments.csv == "-" ? stderr : stdout;
  if (!arguments.quiet) {
    print(stream, compare_text(records, options) + skipped_lines(inputs, arguments.dump));
  }
  if (!arguments.baseline.empty() && (!arguments.quiet || !check.passes())) {
    print(arguments.quiet ? stderr : stream, baseline_text(check));
  }
  if (!arguments.baseline.empty() && !check.passes()) return kAnswerIsNo;
  return exit_code(errors);
}

}  // namespace

Command compare_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = flipsat.add_subcommand(
      "compare", "Compare the input, greedy orders, the e-graph and the bound; watch for growth");
  parser->add_option("IN", arguments->inputs, "Modules, or folders of them; - is standard input")
      ->required();
  parser->add_option("--json", arguments->json, "Write it for programs; - is standard output")
      ->type_name("FILE");
  parser->add_option("--csv", arguments->csv, "Write it as a table; - is standard output")
      ->type_name("FILE");
  parser
      ->add_option("--baseline", arguments->baseline,
                   "An earlier --json: fail where a module launches or moves more than there")
      ->type_name("FILE");
  add_dump_options(*parser, arguments->dump);
  parser->add_flag("--quiet", arguments->quiet, "No table and no progress");
  add_optimizer_options(*parser, arguments->optimizer);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
