// All matches of random patterns on random e-graphs: those that the reference engine finds by
// enumeration, no other, and none twice.
#include <algorithm>

#include "tests/catch.h"
#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph::reference {
namespace {

constexpr uint64_t kMostMatches = 2000;

// How often each row stands in the list.
std::map<Row, uint64_t> counted(const std::vector<Row>& rows) {
  std::map<Row, uint64_t> counts;
  for (const Row& row : rows) ++counts[row];
  return counts;
}

std::string compare_rows(const TestRule& rule, const std::vector<Row>& by_engine,
                         const std::vector<Row>& by_naive) {
  const std::map<Row, uint64_t> found = counted(by_engine);
  const std::map<Row, uint64_t> expected = counted(by_naive);
  for (const auto& [row, count] : expected) {
    const auto it = found.find(row);
    if (it == found.end()) return "a match of " + rule.text() + " is missing";
    // Where nodes have no names, an engine may count ways or what they bind.
    if (it->second > count || (rule.is_fully_named() && it->second != count)) {
      return "a match of " + rule.text() + " is found too often";
    }
  }
  if (found.size() != expected.size()) return "no match of " + rule.text();
  return {};
}

TEST_CASE("random: matches of patterns") {
  const std::vector<uint32_t> seeds = random_seeds(20'000, 2200);
  uint32_t with_matches = 0;
  for (const uint32_t seed : seeds) {
    CAPTURE(seed);
    Random random(seed);
    Twins twins(random_mode(random));
    grow(twins, random, {4, 5 + random.below(30), random.below(7), 0});
    twins.rebuild();
    const std::vector<TestRule> rules = random_rules(random, twins, 4, {.only_look = true});
    if (random.one_in(2)) grow(twins, random, {0, 3, 3, 0});  // the run rebuilds

    RuleSet rule_set;
    std::vector<RecordedMatch> records;
    for (uint32_t i = 0; i < rules.size(); ++i) rule_set.add(engine_rule(rules[i], i, &records));
    RunOptions options;
    options.limits.iterations = 1;
    options.limits.matches = kMostMatches;
    options.search = random.one_in(2) ? SearchMode::kFull : SearchMode::kIncremental;
    if (run(twins.engine, rule_set, options).stop.stop == Stop::kMatches) continue;
    twins.naive.rebuild();
    REQUIRE(twins.difference() == "");

    for (uint32_t i = 0; i < rules.size(); ++i) {
      std::vector<Row> by_engine;
      for (const RecordedMatch& record : records) {
        if (record.rule == i) by_engine.push_back(twins.row_of(record));
      }
      std::vector<Row> by_naive;
      for (const Binding& binding : matches(twins.naive, rules[i])) {
        if (!accepts(twins.naive, rules[i], binding)) continue;
        by_naive.push_back(twins.row_of(i, rules[i], binding));
      }
      REQUIRE(compare_rows(rules[i], by_engine, by_naive) == "");
      with_matches += by_naive.empty() ? 0 : 1;
    }
  }
  CHECK(are_enough(with_matches, 5000, seeds, 2200));
}

}  // namespace
}  // namespace flipsat::egraph::reference
