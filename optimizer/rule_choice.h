// Which rules the options ask for.
#pragma once

#include <vector>

#include "optimizer/options.h"
#include "rules/rule_book.h"

namespace flipsat::optimizer {

// Those of the catalogue, then the user's.
std::vector<rules::Family> families(const Options& options);
// Which of them are switched on, and what they may assume.
rules::RuleOptions rule_options(const Options& options);

}  // namespace flipsat::optimizer
