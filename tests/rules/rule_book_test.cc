// Switches and the table of all rules.
#include "rules/rule_book.h"

#include <set>
#include <string>

#include "tests/catch.h"

namespace flipsat::rules {
namespace {

size_t rules_with(const RuleOptions& options) {
  language::HloGraph hlo(hlo::DeviceCounts{});
  return RuleBook(hlo, options).set().size();
}

size_t rules_with(const std::set<std::string>& only, const std::set<std::string>& disable) {
  return rules_with(RuleOptions{hlo::Numerics::kReassoc, false, disable, only, true});
}

TEST_CASE("every rule of the catalogue can be switched off, and none but it switched on") {
  const size_t all = rules_with({}, {});
  size_t sum = 0;
  for (const RuleInfo& info : catalogue()) {
    INFO(info.name);
    size_t only = rules_with({info.name}, {});
    CHECK(only > 0);
    CHECK(rules_with({}, {info.name}) == all - only);
    CHECK(rules_with({info.name}, {info.name}) == 0);
    CHECK_FALSE(info.equation.empty());
    CHECK_FALSE(info.condition.empty());
    sum += only;
  }
  CHECK(sum == all);
}

TEST_CASE("bitwise leaves out the rules that rely on an open order, and no others") {
  size_t open = 0;
  for (const RuleInfo& info : catalogue()) {
    if (info.order_open) open += rules_with({info.name}, {});
  }
  CHECK(open > 0);
  RuleOptions bitwise;
  bitwise.bitwise = true;
  CHECK(rules_with(bitwise) == rules_with(RuleOptions{}) - open);
}

TEST_CASE("without --assume-finite the rules that need it are left out, and no others") {
  size_t finite = 0;
  for (const RuleInfo& info : catalogue()) {
    if (info.needs_finite) finite += rules_with({info.name}, {});
  }
  CHECK(finite > 0);
  RuleOptions options;
  options.assume_finite = true;
  CHECK(rules_with(options) == rules_with(RuleOptions{}) + finite);
}

TEST_CASE("a rewrite of the book knows its family") {
  language::HloGraph hlo(hlo::DeviceCounts{});
  RuleBook book(hlo, {});
  for (egraph::Reason rule = 0; rule < book.set().size(); ++rule) {
    CHECK(book.set()[rule].name().starts_with(book.info(rule).name + "/"));
  }
}

}  // namespace
}  // namespace flipsat::rules
