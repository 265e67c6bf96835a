// --report: a report for programs (JSON), and one for people where the name ends in .html; both may
// be asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace flipsat::tools {

void add_report_option(CLI::App& parser, std::vector<std::string>& reports);

// The name ends in .html, in capitals or not, before any .gz or .zst.
bool is_page(const std::string& path);

bool names_standard_output(const std::vector<std::string>& reports);

// Throws UsageError where a report cannot be written: two of one kind, one that names the place of
// another output (`output`; may be empty) or an input, or a place that takes no file.
void check_reports(const std::vector<std::string>& reports, const std::string& output,
                   const std::vector<std::string>& inputs);

}  // namespace flipsat::tools
