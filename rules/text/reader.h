// Reads rules from text.
#pragma once

#include "rules/text/text_rule.h"

namespace flipsat::rules::text {

// In their order. Throws hlo::InputError at the place of what is wrong: unknown operations,
// functions and variables, wrong numbers or sorts of attributes and operands, a variable that a
// direction needs and does not bind, a name used twice.
std::vector<TextRuleRef> read_rules(std::string_view text, const std::string& file);

}  // namespace flipsat::rules::text
