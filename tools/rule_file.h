// Files of rules written as text (docs/writing-a-rule.md).
#pragma once

#include <string>
#include <vector>

#include "rules/text/reader.h"

namespace flipsat::tools {

// Throws hlo::InputError for a file that cannot be read and for what is wrong in it; - is standard
// input.
std::vector<rules::text::TextRuleRef> read_rule_file(const std::string& path);

}  // namespace flipsat::tools
