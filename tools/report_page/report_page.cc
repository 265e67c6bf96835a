#include "tools/report_page/report_page.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "tools/report_page/page_text.h"
#include "tools/report_page/shown_record.h"
#include "tools/units.h"

namespace flipsat::tools {

// Made of page.css and the scripts beside it (cmake/embed.cmake).
extern const std::string_view kReportPageStyle, kReportPageStyleHash;
extern const std::string_view kReportPageScript, kReportPageScriptHash;

namespace {

// Nothing is fetched, and nothing runs but our own script, whatever else should get into the page.
std::string policy() {
  return fmt::format(
      "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; "
      "form-action 'none'",
      kReportPageStyleHash, kReportPageScriptHash);
}

std::string row_of(std::string_view tag, const std::vector<std::string>& cells) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) row += fmt::format("<{0}>{1}</{0}>", tag, cell);
  return row + "</tr>\n";
}

// What readers without a script see below the headline.
std::string plain_table(const Json& record) {
  std::string table = "<table class=\"plain\">\n" + row_of("th", {"", "before", "greedy", "after"});
  const auto add = [&](const char* words, const auto& figure, auto readable) {
    std::vector<int64_t> figures;
    for (const char* program : {"input", "greedy", "output"}) {
      figures.push_back(figure(record["programs"][program]));
    }
    std::vector<std::string> cells = told_apart(figures, readable);
    cells.insert(cells.begin(), words);
    table += row_of("td", cells);
  };
  const auto run = [](const char* name) {
    return [name](const Json& program) { return program["executed"][name].get<int64_t>(); };
  };
  add(
      "time", [](const Json& program) { return picoseconds_of(program["time_us"]); },
      readable_time);
  add(
      "launches", run("launches"), +[](int64_t count, int) { return std::to_string(count); });
  add("wire bytes", run("wire_bytes"), readable_bytes);
  return table + "</table>\n<p>A script in this file shows the rest.</p>\n";
}

std::string document(const std::string& title, const std::string& headline,
                     const std::string& plain, const std::string& data) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<header id=\"top\"></header>\n<h1 id=\"headline\">{}</h1>\n<main id=\"page\"></main>\n"
      "<noscript>\n{}</noscript>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n"
      "</body>\n</html>\n",
      policy(), title, kReportPageStyle, headline, plain, data, kReportPageScript);
}

}  // namespace

ReportPage::ReportPage(Of of, const Json& head) : of_(of) {
  for (const char* name : {"flipsat", "numerics", "combiner", "machine", "objective"}) {
    head_[name] = cut(head[name].get_ref<const std::string&>(), 300);
  }
}

void ReportPage::add(const Json& record) {
  if (of_ == Of::kModule) {
    module_ = shown_record(record, kShownOfModule);
    records_ = embedded_json(module_);
    return;
  }
  overall_.add(record);
  if (!records_.empty()) records_ += ",\n";
  records_ += embedded_json(shown_record(record, kShownOfBatch));
}

std::string ReportPage::finish() const {
  const bool is_batch = of_ == Of::kBatch;
  const Json overall = is_batch ? overall_.shown(head_["objective"]) : Json(nullptr);
  const Json& first = is_batch ? overall : module_;  // what is shown first
  const std::string headline = element_text(first["headline"].get_ref<const std::string&>());
  const std::string title =
      is_batch ? "flipsat: " + counted(first["modules"]["all"], "module")
               : "flipsat: " + element_text(first["input"].get_ref<const std::string&>());
  const std::string data = fmt::format("{{\"head\":{},\"overall\":{},\"records\":[{}]}}",
                                       embedded_json(head_), embedded_json(overall), records_);
  return document(title, headline, plain_table(first), data);
}

std::string report_page(const Json& report) {
  const bool is_batch = report.contains("records");
  ReportPage page(is_batch ? ReportPage::Of::kBatch : ReportPage::Of::kModule, report);
  if (is_batch) {
    for (const Json& record : report["records"]) page.add(record);
  } else {
    page.add(report);
  }
  return page.finish();
}

}  // namespace flipsat::tools
