// flipsat rules: every rewrite rule, from the catalogue.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "rules/catalogue.h"
#include "tools/commands.h"
#include "tools/output_files.h"
#include "tools/report.h"
#include "tools/unavailable.h"

namespace flipsat::tools {
namespace {

Json rules_report(const std::vector<rules::RuleInfo>& catalogue) {
  Json records = Json::array();
  for (const rules::RuleInfo& rule : catalogue) {
    records.push_back({{"name", rule.name},
                       {"family", rule.family},
                       {"equation", rule.equation},
                       {"condition", rule.condition},
                       {"numerics", hlo::to_string(rule.numerics)},
                       {"order_open", rule.order_open},
                       {"both_directions", rule.both_directions}});
  }
  Json report = report_head();
  report["rules"] = records;
  return report;
}

std::string rules_text(const std::vector<rules::RuleInfo>& catalogue) {
  std::string text;
  std::string family;
  for (const rules::RuleInfo& rule : catalogue) {
    if (rule.family != family) {
      family = rule.family;
      text += fmt::format("{}{}\n", text.empty() ? "" : "\n", family);
    }
    text += fmt::format("  {}  ({}{}{})\n", rule.name, hlo::to_string(rule.numerics),
                        rule.order_open ? ", order-open" : "",
                        rule.both_directions ? "" : ", one direction");
    text += fmt::format("      {}\n", rule.equation);
    text += fmt::format("      condition: {}\n", rule.condition);
  }
  return text;
}

ExitCode run(const std::string& json) {
  const std::vector<rules::RuleInfo> catalogue = rules::catalogue();
  if (!json.empty()) write_output(json, json_text(rules_report(catalogue)));
  if (json != "-") print(stdout, rules_text(catalogue));
  return kDone;
}

}  // namespace

Command rules_command(CLI::App& flipsat) {
  const auto json = std::make_shared<std::string>();
  CLI::App* parser = flipsat.add_subcommand(
      "rules", "List every rule: equation, condition, numerics class, switch");
  parser->add_option("--json", *json, "Write the list for programs; - is standard output")
      ->type_name("FILE");
  add_later_options(*parser, {{"--check", true}});
  return {parser, [json] { return run(*json); }};
}

}  // namespace flipsat::tools
