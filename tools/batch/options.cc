#include "tools/batch/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "frontends/file.h"
#include "tools/batch/table.h"
#include "tools/output_files.h"
#include "tools/report.h"
#include "tools/report_files.h"
#include "tools/report_page/report_page.h"
#include "tools/usage_error.h"

namespace flipsat::tools {

namespace {

namespace fs = std::filesystem;

// Such a batch would have no inputs, or be rid of them by its own outputs.
void check_inputs_outside(const std::vector<std::string>& inputs, const std::string& output) {
  const fs::path folder = fs::weakly_canonical(fs::absolute(output));
  for (const std::string& input : inputs) {
    const fs::path path = fs::weakly_canonical(fs::absolute(input));
    const auto [end, _] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    if (end != folder.end()) continue;
    throw UsageError(fmt::format("{} lies in {}, and what lies in the output folder is no input",
                                 input, output));
  }
}

// Reports stand beside what the batch writes, and not in its place.
void check_beside(const std::vector<std::string>& reports, const std::vector<std::string>& outputs,
                  const std::string& folder) {
  std::set<std::string> places;
  for (const std::string& output : outputs) places.insert(place_of(output));
  const std::string own = place_of((fs::path(folder) / kBatchFolder).string());
  for (const std::string& report : reports) {
    const std::string place = place_of(report);
    if (places.count(place) > 0) {
      throw UsageError(fmt::format("--report {} is where the batch writes a module", report));
    }
    if (place == own || place.starts_with(own + "/")) {
      throw UsageError(fmt::format("--report {} lies in {}, which is for what the batch keeps",
                                   report, (fs::path(folder) / kBatchFolder).string()));
    }
  }
}

}  // namespace

void add_batch_options(CLI::App& parser, BatchArguments& arguments) {
  parser.add_option("DIR", arguments.folders, "Folders; a single file does too")->required();
  parser
      .add_option("-o,--output", arguments.output,
                  "The folder for results, under their relative names, and report.json")
      ->required()
      ->type_name("OUT");
  parser
      .add_option("--cache", arguments.cache,
                  "Where answers are kept, by content; several batches may share it (default: "
                  "OUT/.flipsat/cache)")
      ->type_name("DIR");
  add_report_option(parser, arguments.reports);
  parser.add_flag("--quiet", arguments.quiet, "No table and no progress");
  add_dump_options(parser, arguments.dump);
  add_optimizer_options(parser, arguments.optimizer);
}

OpenedBatch open_batch(const BatchArguments& arguments) {
  const optimizer::Options options = optimizer_options(arguments.optimizer);
  if (std::ranges::count(arguments.folders, "-") > 0) {
    throw UsageError("- is no folder; 'flipsat optimize' reads standard input");
  }
  if (arguments.output == "-") throw UsageError("-o -: a batch writes into a folder");
  check_inputs_outside(arguments.folders, arguments.output);
  OpenedBatch opened;
  opened.inputs = module_inputs(arguments.folders, arguments.output, arguments.dump);
  check_reports(arguments.reports, report_path(arguments.output), opened.inputs.paths());
  check_are_no_inputs(arguments.reports, option_files(arguments.optimizer));
  std::vector<std::string> outputs;
  for (const ModuleFile& file : opened.inputs.files) {
    outputs.push_back((fs::path(arguments.output) / file.relative).string());
  }
  check_are_no_inputs(outputs, opened.inputs.paths());  // links lead anywhere
  check_are_no_inputs(outputs, option_files(arguments.optimizer));
  check_beside(arguments.reports, outputs, arguments.output);
  opened.batch = std::make_unique<Batch>(
      opened.inputs.files, BatchOptions{options, identity_of(arguments.optimizer, options),
                                        arguments.output, arguments.cache});
  return opened;
}

void write_reports(const OpenedBatch& opened, const BatchArguments& arguments) {
  Batch& batch = *opened.batch;
  Json head = report_head();
  head.update(options_record(batch.options().optimizer));
  ReportPage page(ReportPage::Of::kBatch, head);
  const bool wants_page = std::ranges::any_of(arguments.reports, is_page);
  batch.finish(wants_page ? [&](const Json& record) { page.add(record); }
                          : std::function<void(const Json&)>());
  for (const std::string& path : arguments.reports) {
    write_output(
        path, is_page(path) ? page.finish() : frontends::read_raw(report_path(arguments.output)));
  }
}

std::string batch_text(const OpenedBatch& opened, const BatchArguments& arguments) {
  return batch_table(opened.batch->records(), opened.batch->known()) +
         skipped_lines(opened.inputs, arguments.dump);
}

}  // namespace flipsat::tools
