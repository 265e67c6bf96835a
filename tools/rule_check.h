// Rules written as text, tried on small programs: `flipsat rules --check FILE`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "optimizer/harness/harness.h"
#include "rules/text/text_rule.h"
#include "tools/json_text.h"

namespace flipsat::tools {

struct CheckedDirection {
  std::string name;  // "forward"
  optimizer::Counts counts;
};

struct CheckedRule {
  rules::text::TextRuleRef rule;
  std::vector<CheckedDirection> directions;

  bool is_wrong() const;
  // In every direction, on some program that could be run.
  bool has_fired() const;
};

// So many programs a direction.
std::vector<CheckedRule> check_rules(const std::vector<rules::text::TextRuleRef>& rules,
                                     int64_t cases);

std::string check_text(const std::vector<CheckedRule>& checked);
Json check_report(const std::vector<CheckedRule>& checked);

}  // namespace flipsat::tools
