#include "tools/rule_list.h"

#include <fmt/format.h>

#include "rules/text/family.h"
#include "tools/report.h"
#include "tools/rule_file.h"

namespace flipsat::tools {

std::vector<rules::RuleInfo> all_rules(const std::string& path) {
  std::vector<rules::RuleInfo> infos = rules::catalogue();
  if (path.empty()) return infos;
  for (const rules::text::TextRuleRef& rule : read_rule_file(path)) {
    infos.push_back(rules::text::family_of(rule).info);
  }
  return infos;
}

Json rules_report(const std::vector<rules::RuleInfo>& rules) {
  Json records = Json::array();
  for (const rules::RuleInfo& rule : rules) {
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

std::string rules_text(const std::vector<rules::RuleInfo>& rules) {
  std::string text = std::string(kNotation) + "\n";
  std::string family;
  for (const rules::RuleInfo& rule : rules) {
    if (rule.family != family) {
      family = rule.family;
      text += fmt::format("\n{}\n", family);
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

}  // namespace flipsat::tools
