#include "tools/report_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "tools/output_files.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;

bool has_ending(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  return std::equal(
      ending.begin(), ending.end(), name.end() - static_cast<ptrdiff_t>(ending.size()),
      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

}  // namespace

void add_report_option(CLI::App& parser, std::vector<std::string>& reports) {
  parser
      .add_option("--report", reports,
                  "Write a report: a page for people where the name ends in .html, else JSON for "
                  "programs; can be given once for each")
      ->allow_extra_args(false)
      ->type_name("FILE.json|FILE.html");
}

bool is_page(const std::string& path) {
  std::string_view name = path;
  for (std::string_view ending : {".gz", ".zst"}) {
    if (!has_ending(name, ending)) continue;
    name.remove_suffix(ending.size());
    break;
  }
  return has_ending(name, ".html");
}

bool names_standard_output(const std::vector<std::string>& reports) {
  return std::find(reports.begin(), reports.end(), "-") != reports.end();
}

void check_reports(const std::vector<std::string>& reports, const std::string& output,
                   const std::vector<std::string>& inputs) {
  for (size_t i = 0; i < reports.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (is_one_place(reports[i], reports[j])) {
        throw UsageError(fmt::format("--report names {} twice", reports[i]));
      }
      if (is_page(reports[i]) == is_page(reports[j])) {
        throw UsageError(
            fmt::format("--report {} and {}: one page and one report for programs are "
                        "the most",
                        reports[j], reports[i]));
      }
    }
    if (!output.empty() && is_one_place(reports[i], output)) {
      throw UsageError(fmt::format("-o and --report both name {}", output));
    }
    check_can_write(reports[i]);
  }
  check_are_no_inputs(reports, inputs);
}

}  // namespace flipsat::tools
