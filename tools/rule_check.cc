#include "tools/rule_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/text/text.h"
#include "optimizer/harness/text_programs.h"
#include "rules/text/direction.h"
#include "tools/report.h"

namespace flipsat::tools {
namespace {

using optimizer::Counts;

CheckedDirection check_direction(const rules::text::Direction& direction, int64_t cases) {
  optimizer::Space space = optimizer::programs_of(direction);
  space.sample = cases;
  optimizer::CheckOptions options;
  options.try_candidates = false;
  return {direction.name, optimizer::check(space, optimizer::text_rewriter(direction), options)};
}

int64_t run_count(const Counts& counts) { return counts.fired - counts.not_run; }

std::string_view way(const std::string& direction) {
  return direction == "forward" ? "left to right" : "right to left";
}

std::string indented(const std::string& text) {
  std::string result;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) result += "      " + text.substr(begin, end - begin);
    result += '\n';
    begin = end + 1;
  }
  return result;
}

std::string counts_text(const CheckedDirection& direction) {
  const Counts& counts = direction.counts;
  std::string text = fmt::format("    {}: {} programs, fired on {}, wrong on {}\n",
                                 way(direction.name), counts.cases, counts.fired, counts.wrong);
  for (const auto& [reason, count] : counts.refused) {
    text += fmt::format("      refused on {}: {}\n", count, reason);
  }
  if (counts.not_run > 0) {
    text += fmt::format("      not run: {} ({})\n", counts.not_run, counts.why_not_run);
  }
  if (!counts.smallest) return text;
  text += fmt::format("    WRONG, on {} devices: {}\n", counts.smallest->devices,
                      counts.smallest->text);
  text += indented(frontends::write_text(counts.smallest->module));
  text += "    became\n";
  return text + indented(frontends::write_text(counts.smallest->rewritten));
}

std::string verdict(const CheckedRule& checked) {
  if (checked.is_wrong()) return "wrong";
  return checked.has_fired() ? "nothing wrong found" : "NOT TRIED: it never fired";
}

Json counter_example(const optimizer::CounterExample& example) {
  return {{"devices", example.devices},
          {"difference", example.text},
          {"before", frontends::write_text(example.module)},
          {"after", frontends::write_text(example.rewritten)}};
}

}  // namespace

bool CheckedRule::is_wrong() const {
  return std::any_of(directions.begin(), directions.end(),
                     [](const CheckedDirection& one) { return one.counts.wrong > 0; });
}

bool CheckedRule::has_fired() const {
  return std::all_of(directions.begin(), directions.end(),
                     [](const CheckedDirection& one) { return run_count(one.counts) > 0; });
}

std::vector<CheckedRule> check_rules(const std::vector<rules::text::TextRuleRef>& rules,
                                     int64_t cases) {
  std::vector<CheckedRule> result;
  for (const rules::text::TextRuleRef& rule : rules) {
    CheckedRule checked{rule, {}};
    for (const rules::text::Direction& direction : rules::text::directions_of(rule)) {
      checked.directions.push_back(check_direction(direction, cases));
    }
    result.push_back(std::move(checked));
  }
  return result;
}

std::string check_text(const std::vector<CheckedRule>& checked) {
  std::string text;
  for (const CheckedRule& one : checked) {
    text += fmt::format("{}  ({}{}): {}\n", one.rule->name, hlo::to_string(one.rule->numerics),
                        one.rule->order_open ? ", order-open" : "", verdict(one));
    text += fmt::format("    {}\n", one.rule->equation);
    if (!one.rule->condition.empty()) text += fmt::format("    where {}\n", one.rule->condition);
    for (const CheckedDirection& direction : one.directions) text += counts_text(direction);
  }
  return text;
}

Json check_report(const std::vector<CheckedRule>& checked) {
  Json records = Json::array();
  for (const CheckedRule& one : checked) {
    Json directions = Json::array();
    for (const CheckedDirection& direction : one.directions) {
      const Counts& counts = direction.counts;
      Json record = {{"direction", direction.name}, {"programs", counts.cases},
                     {"fired", counts.fired},       {"wrong", counts.wrong},
                     {"not_run", counts.not_run},   {"refused", counts.refused}};
      record["counter_example"] = counts.smallest ? counter_example(*counts.smallest) : Json();
      directions.push_back(std::move(record));
    }
    records.push_back({{"name", one.rule->name},
                       {"equation", one.rule->equation},
                       {"condition", one.rule->condition},
                       {"numerics", hlo::to_string(one.rule->numerics)},
                       {"order_open", one.rule->order_open},
                       {"wrong", one.is_wrong()},
                       {"fired", one.has_fired()},
                       {"directions", directions}});
  }
  Json report = report_head();
  report["checked"] = records;
  return report;
}

}  // namespace flipsat::tools
