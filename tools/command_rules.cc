// flipsat rules: every rewrite rule, from the catalogue and from a file of rules as text, which it
// can also try.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "rules/catalogue.h"
#include "rules/text/family.h"
#include "tools/commands.h"
#include "tools/output_files.h"
#include "tools/ranges.h"
#include "tools/report.h"
#include "tools/rule_check.h"
#include "tools/rule_file.h"

namespace flipsat::tools {
namespace {

struct Arguments {
  std::string json;
  std::string rules;
  std::string check;
  int64_t cases = 2000;
};

Json rules_report(const std::vector<rules::RuleInfo>& catalogue) {
  Json records = Json::array();
  for (const rules::RuleInfo& rule : catalogue) {
    records.push_back({{"name", rule.name},
                       {"family", rule.family},
                       {"equation", rule.equation},
                       {"condition", rule.condition},
                       {"numerics", hlo::to_string(rule.numerics)},
                       {"order_open", rule.order_open},
                       {"both_directions", rule.both_directions},
                       {"needs_finite", rule.needs_finite}});
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
    text += fmt::format("  {}  ({}{}{}{})\n", rule.name, hlo::to_string(rule.numerics),
                        rule.order_open ? ", order-open" : "",
                        rule.needs_finite ? ", --assume-finite" : "",
                        rule.both_directions ? "" : ", one direction");
    text += fmt::format("      {}\n", rule.equation);
    text += fmt::format("      condition: {}\n", rule.condition);
  }
  return text;
}

ExitCode list(const Arguments& arguments) {
  std::vector<rules::RuleInfo> infos = rules::catalogue();
  if (!arguments.rules.empty()) {
    for (const rules::text::TextRuleRef& rule : read_rule_file(arguments.rules)) {
      infos.push_back(rules::text::family_of(rule).info);
    }
  }
  if (!arguments.json.empty()) write_output(arguments.json, json_text(rules_report(infos)));
  if (arguments.json != "-") print(stdout, rules_text(infos));
  return kDone;
}

ExitCode check(const Arguments& arguments) {
  const std::vector<CheckedRule> checked =
      check_rules(read_rule_file(arguments.check), arguments.cases);
  if (!arguments.json.empty()) write_output(arguments.json, json_text(check_report(checked)));
  if (arguments.json != "-") print(stdout, check_text(checked));
  const bool all_right = std::all_of(checked.begin(), checked.end(), [](const CheckedRule& one) {
    return one.has_fired() && !one.is_wrong();
  });
  return all_right ? kDone : kAnswerIsNo;
}

}  // namespace

Command rules_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = flipsat.add_subcommand(
      "rules", "List every rule: equation, condition, numerics class, switch");
  parser
      ->add_option("--json", arguments->json,
                   "Write the list, or what the check found, for programs; - is standard output")
      ->type_name("FILE");
  CLI::Option* rules =
      parser->add_option("--rules", arguments->rules, "List the rules of this file too")
          ->type_name("FILE");
  CLI::Option* check_file =
      parser
          ->add_option("--check", arguments->check,
                       "Try the rules of this file on small programs; 1 if one is wrong or never "
                       "fires")
          ->excludes(rules)
          ->type_name("FILE");
  parser->add_option("--cases", arguments->cases, "Programs on which --check tries each direction")
      ->needs(check_file)
      ->check(whole_number(1, 10'000'000))
      ->capture_default_str()
      ->type_name("N");
  return {parser,
          [arguments] { return arguments->check.empty() ? list(*arguments) : check(*arguments); }};
}

}  // namespace flipsat::tools
