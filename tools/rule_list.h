// The list of rules, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "rules/catalogue.h"
#include "tools/json_text.h"

namespace flipsat::tools {

// What equations abbreviate.
inline constexpr const char* kNotation =
    "AG is all-gather, AR all-reduce, RS reduce-scatter, R one of the last two, DS and DUS "
    "dynamic-slice and dynamic-update-slice; _d is along dim d";

// Those of the catalogue, then those of a file of rules as text; no file where `path` is empty.
std::vector<rules::RuleInfo> all_rules(const std::string& path);

Json rules_report(const std::vector<rules::RuleInfo>& rules);
std::string rules_text(const std::vector<rules::RuleInfo>& rules);

}  // namespace flipsat::tools
