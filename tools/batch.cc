#include "tools/batch.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "optimizer/optimize.h"
#include "tools/in_parallel.h"
#include "tools/optimize_file.h"
#include "tools/output_files.h"
#include "tools/report.h"
#include "tools/text_table.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;
using extract::Objective;

optimizer::Result optimize_one(const ModuleFile& file, const BatchOptions& options) {
  OptimizedFile optimized = optimize_file(file.path, options.optimizer);
  const fs::path target = fs::path(options.output_folder) / file.relative;
  fs::create_directories(target.parent_path());
  // It is to stand in the input's place, so it is of its form whatever its name says.
  write_output(target.string(), output_bytes(optimized, optimized.form.kind),
               optimized.form.compression);
  optimized.result.output = {};  // a batch keeps figures, not modules
  return std::move(optimized.result);
}

BatchRecord record_of(const ModuleFile& file, const BatchOptions& options) {
  BatchRecord record{file.path, file.relative, std::nullopt, {}};
  try {
    record.result = optimize_one(file, options);
  } catch (const optimizer::VerificationFailed& error) {
    record.error = fmt::format("the rewritten module was refused: {}", error.what());
  } catch (const std::runtime_error& error) {
    record.error = error.what();
  } catch (const std::exception& error) {
    record.error = fmt::format("internal error: {}", error.what());
  }
  return record;
}

std::string before_greedy_after(const optimizer::Result& result,
                                int64_t (*figure)(const extract::ProgramCost&),
                                std::string (*readable)(int64_t, int)) {
  const std::vector<std::string> texts = told_apart(
      {figure(result.input_cost), figure(result.greedy_cost), figure(result.output_cost)},
      readable);
  return fmt::format("{} > {} > {}", texts[0], texts[1], texts[2]);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::vector<BatchRecord> run_batch(const std::vector<ModuleFile>& files,
                                   const BatchOptions& options) {
  std::vector<BatchRecord> records(files.size());
  in_parallel(
      files.size(), options.threads, [&](size_t i) { records[i] = record_of(files[i], options); },
      options.progress);
  return records;
}

Json batch_report(const std::vector<BatchRecord>& records, const optimizer::Options& options) {
  Json list = Json::array();
  for (const BatchRecord& record : records) {
    if (record.result) {
      list.push_back(optimize_report(record.path, options, *record.result));
      continue;
    }
    Json failed = report_head();
    failed["input"] = record.path;
    failed["error"] = record.error;
    list.push_back(failed);
  }
  Json report = report_head();
  report.update(options_record(options));
  report["records"] = list;
  return report;
}

std::string batch_table(const std::vector<BatchRecord>& records,
                        const optimizer::Options& options) {
  using Align = TextTable::Align;
  TextTable table(
      {Align::kLeft, Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft, Align::kRight});
  table.add(
      {"module", "time (input > greedy > output)", "", "launches run", "wire bytes", "changes"});
  int64_t failed = 0, improved = 0;
  const Objective objective = options.cost.objective;
  for (const BatchRecord& record : records) {
    if (!record.result) {
      ++failed;
      table.add({record.relative, "failed"});
      continue;
    }
    const optimizer::Result& result = *record.result;
    const auto time = +[](const extract::ProgramCost& cost) { return cost.time; };
    const auto launches = +[](const extract::ProgramCost& cost) { return cost.executed.launches; };
    const auto wire = +[](const extract::ProgramCost& cost) { return cost.executed.wire_bytes; };
    const auto count = +[](int64_t value, int) { return std::to_string(value); };
    if (result.output_cost.value(objective) < result.input_cost.value(objective)) ++improved;
    table.add({record.relative, before_greedy_after(result, time, readable_time),
               readable_change(result.input_cost.time, result.output_cost.time),
               before_greedy_after(result, launches, count),
               before_greedy_after(result, wire, readable_bytes),
               std::to_string(result.changes.size())});
  }
  std::string text =
      fmt::format("{}, {} improved, {} failed",
                  counted(static_cast<int64_t>(records.size()), "module"), improved, failed);
  text += "\n\n" + table.text();
  std::string errors;
  for (const BatchRecord& record : records) {
    if (!record.error.empty()) errors += first_line(record.error) + "\n";
  }
  return errors.empty() ? text : text + "\n" + errors;
}

}  // namespace flipsat::tools
