// flipsat optimize IN [-o OUT]: one module.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tools/commands.h"
#include "tools/diff.h"
#include "tools/inputs.h"
#include "tools/memory.h"
#include "tools/optimize_file.h"
#include "tools/options.h"
#include "tools/output_files.h"
#include "tools/report.h"
#include "tools/report_files.h"
#include "tools/report_page/report_page.h"
#include "tools/table.h"
#include "tools/usage_error.h"
#include "tools/vary_runs.h"

namespace flipsat::tools {
namespace {

struct Arguments {
  std::string input;
  std::string output;
  std::vector<std::string> reports;
  bool diff = false;
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> vary;
  DumpArguments dump;
  OptimizerArguments optimizer;
};

bool wants_colour(std::FILE* stream) {
  return isatty(fileno(stream)) != 0 && std::getenv("NO_COLOR") == nullptr;
}

// What cannot work is said before any work is done.
void check_outputs(const Arguments& arguments) {
  check_reports(arguments.reports, arguments.output, {arguments.input});
  std::vector<std::string> outputs = arguments.reports;
  outputs.push_back(arguments.output);  // which may be the module itself
  check_are_no_inputs(outputs, option_files(arguments.optimizer));
  if (!arguments.output.empty()) check_can_write(arguments.output);
}

struct Varied {
  Variation variation;
  std::vector<VaryRun> runs;
};

// What cannot work is said before the base run.
std::vector<Varied> variations(const Arguments& arguments, const extract::CostOptions& cost) {
  std::vector<Varied> all;
  for (const std::string& text : arguments.vary) all.push_back({read_variation(text, cost), {}});
  return all;
}

ExitCode run(Arguments arguments) {
  limit_this_process(memory_limit(arguments.optimizer));
  arguments.input = single_inputs({arguments.input}, arguments.dump).front();
  check_outputs(arguments);
  optimizer::Options options = optimizer_options(arguments.optimizer);
  if (arguments.verbose) {
    options.greedy_log = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  }
  std::vector<Varied> varied = variations(arguments, options.cost);
  const OptimizedFile file = optimize_file(arguments.input, options);
  for (Varied& each : varied) each.runs = run_variation(each.variation, file, options);

  OutputFiles files;
  if (!arguments.output.empty()) {
    const Form form = output_form(arguments.output, arguments.input, file.form);
    files.add(arguments.output, output_bytes(file, form.kind), form.compression);
  }
  if (!arguments.reports.empty()) {
    Json report = optimize_report(arguments.input, options, file.result);
    for (const Varied& each : varied) {
      report["vary"].push_back(vary_record(each.variation, each.runs));
    }
    for (const std::string& path : arguments.reports) {
      files.add(path, is_page(path) ? report_page(report) : json_text(report));
    }
  }
  files.commit();

  const bool output_is_taken = arguments.output == "-" || names_standard_output(arguments.reports);
  std::FILE* people = output_is_taken ? stderr : stdout;
  if (!arguments.quiet) {
    const std::string note =
        arguments.output.empty() ? "" : form_note(arguments.output, arguments.input, file.form);
    if (!note.empty()) fmt::print(stderr, "flipsat: note: {}\n", note);
    const TableOptions table{arguments.verbose, wants_colour(people)};
    print(people, result_table(arguments.input, options, file.result, table));
    for (const Varied& each : varied) {
      print(people, "\n" + vary_table(each.variation, each.runs, file.result, arguments.verbose));
    }
  }
  if (arguments.diff) {
    const std::string after = arguments.output.empty() || arguments.output == "-"
                                  ? arguments.input + " (optimized)"
                                  : arguments.output;
    print(people, unified_diff(file.before, file.after, {arguments.input, after}));
  }
  return kDone;
}

}  // namespace

Command optimize_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser =
      flipsat.add_subcommand("optimize", "Optimise one module and say what it gains");
  parser
      ->add_option("IN", arguments->input,
                   "The module, or a folder that --xla_dump_to filled; - is standard input")
      ->required();
  parser
      ->add_option("-o,--output", arguments->output,
                   "Where to write the result; - is standard output. .pb is a proto, .hlo and .txt "
                   "are text, any other name is what IN is")
      ->type_name("OUT");
  add_report_option(*parser, arguments->reports);
  parser->add_flag("--diff", arguments->diff, "Show a unified diff of the old and the new text");
  CLI::Option* quiet = parser->add_flag("--quiet", arguments->quiet, "No table");
  parser
      ->add_flag(
          "--verbose", arguments->verbose,
          "Every change, every rule, every refusal; what the greedy passes did, on standard error")
      ->excludes(quiet);
  parser
      ->add_option("--vary", arguments->vary,
                   "Also say what changes with other values of a figure: " + vary_names())
      ->allow_extra_args(false)
      ->type_name("PARAM=V,..");
  add_dump_options(*parser, arguments->dump);
  add_optimizer_options(*parser, arguments->optimizer);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
