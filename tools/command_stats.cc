// flipsat stats IN...: what collectives there are, without changing anything.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "frontends/file.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/options.h"
#include "tools/output_files.h"
#include "tools/report.h"
#include "tools/several_modules.h"
#include "tools/stats.h"

namespace flipsat::tools {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  std::string json;
  DumpArguments dump;
  DeviceArguments devices;
  CostArguments cost;
};

ExitCode run(const Arguments& arguments) {
  const extract::CostOptions cost = cost_options(arguments.cost);
  const Inputs inputs = module_inputs(arguments.inputs, "", arguments.dump);
  check_are_no_inputs({arguments.json}, inputs.paths());
  if (!arguments.json.empty()) check_can_write(arguments.json);
  std::vector<ModuleStats> all(inputs.files.size());
  const std::vector<std::string> errors =
      run_on_each(all.size(), is_one_module(arguments.inputs), 1, false, [&](size_t i) {
        all[i] = module_stats(frontends::read_module(inputs.files[i].path),
                              device_overrides(arguments.devices), cost);
        all[i].input = inputs.files[i].path;
      });
  Json report = report_head();
  report["records"] = Json::array();
  std::string text;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!errors[i].empty()) {
      report["records"].push_back({{"input", inputs.files[i].path}, {"error", errors[i]}});
      fmt::print(stderr, "{}\n", errors[i]);
      continue;
    }
    report["records"].push_back(stats_record(all[i]));
    text += (text.empty() ? "" : "\n") + stats_text(all[i]);
  }
  if (!arguments.json.empty()) write_output(arguments.json, json_text(report));
  if (arguments.json != "-") print(stdout, text + skipped_lines(inputs, arguments.dump));
  return exit_code(errors);
}

}  // namespace

Command stats_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = flipsat.add_subcommand(
      "stats", "Show what collectives modules have, by key and by loop, and what is opaque");
  parser->add_option("IN", arguments->inputs, "Modules, or folders of them; - is standard input")
      ->required();
  parser->add_option("--json", arguments->json, "Write it for programs; - is standard output")
      ->type_name("FILE");
  add_dump_options(*parser, arguments->dump);
  add_cost_options(*parser, arguments->cost);
  add_device_options(*parser, arguments->devices);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
