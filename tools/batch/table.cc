#include "tools/batch/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/text_table.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

std::string before_greedy_after(const std::array<int64_t, 3>& figures,
                                std::string (*readable)(int64_t, int)) {
  const std::vector<std::string> texts = told_apart({figures.begin(), figures.end()}, readable);
  return fmt::format("{} -> {} -> {}", texts[0], texts[1], texts[2]);
}

std::string count(int64_t value, int) { return std::to_string(value); }

std::string first_line(const std::string& text) {
  return on_one_line(text.substr(0, text.find('\n')));
}

}  // namespace

std::string batch_table(const std::vector<BatchRecord>& records, size_t known) {
  using Align = TextTable::Align;
  TextTable table(
      {Align::kLeft, Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft, Align::kRight});
  table.add(
      {"module", "time (input -> greedy -> output)", "", "launches run", "wire bytes", "changes"});
  int64_t failed = 0, improved = 0;
  std::string errors;
  for (const BatchRecord& record : records) {
    if (!record.figures) {
      ++failed;
      table.add({record.relative, "failed"});
      errors += first_line(record.error) + "\n";
      continue;
    }
    const Figures& figures = *record.figures;
    if (figures.is_improved) ++improved;
    table.add({record.relative, before_greedy_after(figures.time, readable_time),
               readable_change(figures.time.front(), figures.time.back()),
               before_greedy_after(figures.launches, count),
               before_greedy_after(figures.wire_bytes, readable_bytes),
               std::to_string(figures.changes)});
  }
  std::string text =
      fmt::format("{}, {} improved, {} failed",
                  counted(static_cast<int64_t>(records.size()), "module"), improved, failed);
  if (known > 0) text += fmt::format(", {} known from before", known);
  text += "\n\n" + table.text();
  return errors.empty() ? text : text + "\n" + errors;
}

}  // namespace flipsat::tools
