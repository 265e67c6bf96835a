#include "eqsat/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace flipsat::eqsat {
namespace {

using egraph::IterationStats;
using egraph::RuleStats;
using Json = nlohmann::ordered_json;

// Of the values that `value` gives for the runs; of two in the middle the lower.
template <class Value>
double median(const RunRecord& record, Value&& value) {
  std::vector<double> values;
  for (const RunRecord::Run& run : record.runs) values.push_back(value(run));
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double median_phase(const RunRecord& record, double IterationStats::*phase) {
  return median(record, [&](const RunRecord::Run& run) {
    double sum = 0;
    for (const IterationStats& iteration : run.report.iterations) sum += iteration.*phase;
    return sum;
  });
}

double compile_seconds(const RunRecord::Run& run) { return run.compile_seconds; }
double rerun_seconds(const RunRecord::Run& run) { return run.rerun_seconds; }
double load_seconds(const RunRecord::Run& run) { return run.load_seconds; }
double run_seconds(const RunRecord::Run& run) { return run.report.seconds; }

// A number with a unit that suits it.
std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

std::string rule_table(const std::vector<RuleStats>& rules) {
  size_t width = 4;
  for (const RuleStats& rule : rules) width = std::max(width, rule.name.size());
  std::string text =
      fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>5} {:>10} {:>10}\n", "rule", width,
                  "searched", "matched", "applied", "unions", "bans", "search", "apply");
  for (const RuleStats& rule : rules) {
    text += fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>5} {:>10} {:>10}\n", rule.name,
                        width, rule.searched, rule.matched, rule.applied, rule.unions, rule.bans,
                        time_text(rule.search_seconds), time_text(rule.apply_seconds));
  }
  return text;
}

Json rules_json(const std::vector<RuleStats>& rules) {
  Json list = Json::array();
  for (const RuleStats& rule : rules) {
    list.push_back({{"name", rule.name},
                    {"searched", rule.searched},
                    {"matched", rule.matched},
                    {"applied", rule.applied},
                    {"unions", rule.unions},
                    {"bans", rule.bans},
                    {"search_s", rule.search_seconds},
                    {"apply_s", rule.apply_seconds}});
  }
  return list;
}

}  // namespace

std::string text_report(const RunRecord& record, bool with_rules) {
  const egraph::RunReport& report = record.runs.back().report;
  const std::string rerun =
      record.has_rerun ? ", rerun " + time_text(median(record, rerun_seconds)) : "";
  std::string text = fmt::format(
      "{}: {} nodes, {} classes, {} iterations, {}; parse {}, load {}, compile {}, run {} (search "
      "{}, apply "
      "{}, rebuild {}){}; peak {:.1f} MiB\n",
      record.workload, record.nodes, record.classes, report.iterations.size(),
      to_string(report.stop), time_text(record.parse_seconds),
      time_text(median(record, load_seconds)), time_text(median(record, compile_seconds)),
      time_text(median(record, run_seconds)),
      time_text(median_phase(record, &IterationStats::search_seconds)),
      time_text(median_phase(record, &IterationStats::apply_seconds)),
      time_text(median_phase(record, &IterationStats::rebuild_seconds)), rerun, record.peak_mib);
  if (with_rules) text += rule_table(report.rules);
  return text;
}

std::string json_line(const RunRecord& record) {
  const egraph::RunReport& report = record.runs.back().report;
  Json json;
  json["engine"] = "flipsat";
  json["workload"] = record.workload;
  json["nodes"] = record.nodes;
  json["classes"] = record.classes;
  json["iterations"] = report.iterations.size();
  json["stop"] = to_string(report.stop);
  json["repeats"] = record.runs.size();
  json["parse_s"] = record.parse_seconds;
  json["load_s"] = median(record, load_seconds);
  json["compile_s"] = median(record, compile_seconds);
  json["search_s"] = median_phase(record, &IterationStats::search_seconds);
  json["apply_s"] = median_phase(record, &IterationStats::apply_seconds);
  json["rebuild_s"] = median_phase(record, &IterationStats::rebuild_seconds);
  json["run_s"] = median(record, run_seconds);
  if (record.has_rerun) json["rerun_s"] = median(record, rerun_seconds);
  json["rss_mib"] = record.peak_mib;
  json["rss_before_mib"] = record.peak_mib_before;
  json["rules"] = rules_json(report.rules);
  // Names may be any bytes.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace flipsat::eqsat
