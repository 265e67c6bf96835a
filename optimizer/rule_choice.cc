#include "optimizer/rule_choice.h"

namespace flipsat::optimizer {

std::vector<rules::Family> families(const Options& options) {
  std::vector<rules::Family> all = rules::all_families();
  all.insert(all.end(), options.more_rules.begin(), options.more_rules.end());
  return all;
}

rules::RuleOptions rule_options(const Options& options) {
  return {options.numerics, options.bitwise, options.disable, options.only, options.assume_finite};
}

}  // namespace flipsat::optimizer
