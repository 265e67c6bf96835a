// flipsat stats IN...: what collectives there are, without changing anything.
#include <cstdio>
#include <memory>

#include "frontends/file.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/options.h"
#include "tools/output_files.h"
#include "tools/report.h"
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
  std::vector<ModuleStats> all;
  const Inputs inputs = module_inputs(arguments.inputs, "", arguments.dump);
  check_are_no_inputs({arguments.json}, inputs.paths());
  for (const ModuleFile& file : inputs.files) {
    all.push_back(
        module_stats(frontends::read_module(file.path), device_overrides(arguments.devices), cost));
    all.back().input = file.path;
  }
  if (!arguments.json.empty()) {
    Json report = report_head();
    report["records"] = Json::array();
    for (const ModuleStats& stats : all) report["records"].push_back(stats_record(stats));
    write_output(arguments.json, json_text(report));
  }
  if (arguments.json == "-") return kDone;
  std::string text;
  for (const ModuleStats& stats : all) text += (text.empty() ? "" : "\n") + stats_text(stats);
  print(stdout, text + skipped_lines(inputs, arguments.dump));
  return kDone;
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
