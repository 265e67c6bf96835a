// flipsat orders IN...: what every order of the local passes comes to.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "frontends/file.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/memory.h"
#include "tools/orders.h"
#include "tools/orders_options.h"
#include "tools/orders_page.h"
#include "tools/output_files.h"
#include "tools/several_modules.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> inputs;
  DumpArguments dump;
  std::string json;
  std::string csv;
  std::string html;
  bool quiet = false;
  bool verbose = false;
  OrdersArguments orders;
};

void check_outputs(const Arguments& arguments) {
  for (const std::string& file : {arguments.json, arguments.html}) {
    if (!file.empty()) check_can_write(file);
  }
  if (arguments.csv.empty()) return;
  std::error_code error;
  fs::create_directories(arguments.csv, error);
  if (error) {
    throw UsageError(fmt::format("cannot make {}: {}", arguments.csv, error.message()));
  }
}

void write(const Arguments& arguments, const Orders& orders) {
  OutputFiles files;
  if (!arguments.json.empty()) files.add(arguments.json, json_text(orders_report(orders)));
  if (!arguments.html.empty()) files.add(arguments.html, orders_page(orders));
  if (!arguments.csv.empty()) {
    for (const auto& [name, table] : orders_tables(orders)) {
      files.add((fs::path(arguments.csv) / name).string(), table);
    }
  }
  files.commit();
}

ExitCode run(const Arguments& arguments) {
  limit_this_process(memory_limit(arguments.orders.optimizer));
  const laboratory::StudyOptions options = study_options(arguments.orders);
  const Inputs inputs = module_inputs(arguments.inputs, "", arguments.dump);
  check_are_no_inputs({arguments.json, arguments.html}, inputs.paths());
  check_are_no_inputs({arguments.json, arguments.html}, option_files(arguments.orders.optimizer));
  const bool is_one = is_one_module(arguments.inputs);
  check_outputs(arguments);
  std::vector<OrdersRecord> records;
  for (const ModuleFile& file : inputs.files) {
    records.push_back({file.path, file.relative, std::nullopt, ""});
  }
  const std::vector<std::string> errors = run_on_each(
      records.size(), is_one, thread_count(arguments.orders.optimizer), arguments.quiet,
      [&](size_t i) {
        records[i].study = laboratory::study(frontends::read_module(records[i].path), options);
      });
  for (size_t i = 0; i < records.size(); ++i) records[i].error = errors[i];
  const Orders orders = learn_from(std::move(records), options, is_one);
  write(arguments, orders);
  const std::string text =
      orders_text(orders, arguments.verbose) + skipped_lines(inputs, arguments.dump);
  const bool is_output_taken = arguments.json == "-" || arguments.html == "-";
  if (!arguments.quiet) print(is_output_taken ? stderr : stdout, text);
  return exit_code(errors);
}

}  // namespace

Command orders_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser =
      flipsat.add_subcommand("orders", "Show what every order of the local passes comes to");
  parser->add_option("IN", arguments->inputs, "Modules, or folders of them; - is standard input")
      ->required();
  parser->add_option("--json", arguments->json, "Write it for programs; - is standard output")
      ->type_name("FILE");
  parser->add_option("--csv", arguments->csv, "A folder for tables: programs, orders, swaps")
      ->type_name("DIR");
  parser->add_option("--html", arguments->html, "A page with pictures; - is standard output")
      ->type_name("FILE");
  add_dump_options(*parser, arguments->dump);
  CLI::Option* quiet = parser->add_flag("--quiet", arguments->quiet, "No table and no progress");
  parser->add_flag("--verbose", arguments->verbose, "Every program and every kind of order")
      ->excludes(quiet);
  add_orders_options(*parser, arguments->orders);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
