// Text rules as the engine runs them.
#pragma once

#include "rules/rule_book.h"
#include "rules/text/text_rule.h"

namespace flipsat::rules::text {

// A family of one text rule: its rewrites are NAME/forward and, of an equality, NAME/backward; with
// a suffix where start indices (their number) or commutative operations make several patterns.
Family family_of(const TextRuleRef& rule);

}  // namespace flipsat::rules::text
