#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/text_table.h"
#include "tools/units.h"
#include "tools/vary_runs.h"

namespace flipsat::tools {
namespace {

// "another program for 2x, 4x"
std::string headline(const Variation& variation, const std::vector<VaryRun>& runs) {
  std::vector<std::string> others;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].same_program) others.push_back(variation.values[i].given);
  }
  return others.empty() ? "the same program for every value"
                        : fmt::format("another program for {}", fmt::join(others, ", "));
}

std::vector<std::string> cells(const std::string& given, const std::string& figure,
                               const extract::ProgramCost& output,
                               const extract::ProgramCost& input, const extract::ProgramCost& base,
                               int64_t changes, const std::string& program) {
  const std::vector<std::string> times =
      told_apart({input.time, base.time, output.time}, readable_time);
  return {given,
          figure,
          std::to_string(output.executed.launches),
          readable_bytes(output.executed.wire_bytes),
          times[0],
          times[1],
          times[2],
          std::to_string(changes),
          program};
}

// Values that lead to the same differences stand together.
std::string all_difference_lines(const Variation& variation, const std::vector<VaryRun>& runs,
                                 bool all) {
  std::vector<std::pair<std::string, std::string>> blocks;  // lines, values
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].same_program) continue;
    const std::string lines =
        runs[i].differences.empty() ? kSameChanges : difference_lines(runs[i].differences, all);
    const auto block = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const auto& known) { return known.first == lines; });
    if (block == blocks.end()) {
      blocks.emplace_back(lines, variation.values[i].given);
    } else {
      block->second += ", " + variation.values[i].given;
    }
  }
  std::string text;
  for (const auto& [lines, values] : blocks) {
    text += fmt::format("  beside the base run, {}={}\n{}", variation.name, values, lines);
  }
  return text;
}

Json figure_number(int64_t figure, VaryUnit unit) {
  if (unit == VaryUnit::kMicroseconds) return microseconds(figure);
  if (unit == VaryUnit::kGigabytesPerSecond) return static_cast<double>(figure) / 1e9;
  return figure;
}

const char* unit_name(VaryUnit unit) {
  switch (unit) {
    case VaryUnit::kMicroseconds:
      return "us";
    case VaryUnit::kGigabytesPerSecond:
      return "GB/s";
    case VaryUnit::kBytes:
      return "bytes";
    case VaryUnit::kCount:
      break;
  }
  return "collectives";
}

}  // namespace

std::string vary_table(const Variation& variation, const std::vector<VaryRun>& runs,
                       const optimizer::Result& base, bool all) {
  using Align = TextTable::Align;
  std::vector<Align> columns(8, Align::kRight);
  columns.front() = Align::kLeft;
  columns.push_back(Align::kLeft);
  TextTable table(columns);
  table.add({variation.name, "", "launches run", "wire bytes", "input", "base's program", "output",
             "changes"});
  table.add(cells("base", readable_figure(variation.base, variation.unit), base.output_cost,
                  base.input_cost, base.output_cost, static_cast<int64_t>(base.changes.size()),
                  ""));
  for (size_t i = 0; i < runs.size(); ++i) {
    const VaryRun& run = runs[i];
    const VaryValue& value = variation.values[i];
    table.add(cells(value.given, readable_figure(value.figure, variation.unit), run.output,
                    run.input, run.base, run.changes,
                    run.same_program ? "the same program" : "another program"));
  }
  std::string text = fmt::format("vary {} ({}): {}\n", variation.name, variation.meaning,
                                 headline(variation, runs));
  if (!variation.note.empty()) text += variation.note + "\n";
  text += "\n" + table.text(2);
  const std::string details = all_difference_lines(variation, runs, all);
  if (!details.empty()) text += "\n" + details;
  return text;
}

Json vary_record(const Variation& variation, const std::vector<VaryRun>& runs) {
  Json records = Json::array();
  for (size_t i = 0; i < runs.size(); ++i) {
    const VaryRun& run = runs[i];
    records.push_back({{"given", variation.values[i].given},
                       {"value", figure_number(variation.values[i].figure, variation.unit)},
                       {"launches", run.output.executed.launches},
                       {"wire_bytes", run.output.executed.wire_bytes},
                       {"time_us",
                        {{"input", microseconds(run.input.time)},
                         {"base", microseconds(run.base.time)},
                         {"output", microseconds(run.output.time)}}},
                       {"changes", run.changes},
                       {"same_program", run.same_program},
                       {"differences", difference_records(run.differences)}});
  }
  return {{"parameter", variation.name},
          {"meaning", variation.meaning},
          {"unit", unit_name(variation.unit)},
          {"base", figure_number(variation.base, variation.unit)},
          {"note", variation.note},
          {"runs", records}};
}

}  // namespace flipsat::tools
