// Back-off and phases change the order of work and not its end: where they saturate, the graph is
// the one that the reference engine saturates to.
#include <numeric>

#include "tests/catch.h"
#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph::reference {
namespace {

constexpr size_t kMostNodes = 120;

// What is equal on the way there is equal in the end.
bool is_sound(const Twins& twins) {
  for (Twins::Handle a = 0; a < twins.handles(); ++a) {
    for (Twins::Handle b = 0; b < a; ++b) {
      const bool by_engine =
          twins.engine.find(twins.engine_name(a)) == twins.engine.find(twins.engine_name(b));
      const bool by_naive =
          twins.naive.find(twins.naive_name(a)) == twins.naive.find(twins.naive_name(b));
      if (by_engine && !by_naive) return false;
    }
  }
  return true;
}

// False if it does not stay small.
bool saturate(Graph& graph, const std::vector<TestRule>& rules) {
  graph.rebuild();
  for (int iteration = 0; iteration < 12; ++iteration) {
    const uint64_t before = graph.changes();
    iterate(graph, rules);
    if (graph.node_count() > kMostNodes) return false;
    if (graph.changes() == before) return true;  // edges follow, they are no part of matching
  }
  return false;
}

// `options` may not end before saturation.
uint32_t compare_ends(const std::vector<uint32_t>& seeds,
                      const std::function<void(Random&, uint32_t rules, RunOptions&)>& choose) {
  uint32_t compared = 0;
  for (const uint32_t seed : seeds) {
    CAPTURE(seed);
    Random random(seed);
    Twins twins(random_mode(random));
    grow(twins, random, {4, 4 + random.below(12), random.below(3), random.below(2)});
    twins.rebuild();
    const RuleShape shape{.only_growing_guards = true};
    const std::vector<TestRule> rules = random_rules(random, twins, 2 + random.below(3), shape);
    INFO(text_of(rules));
    if (!saturate(twins.naive, rules)) continue;

    RuleSet rule_set;
    for (uint32_t i = 0; i < rules.size(); ++i) rule_set.add(engine_rule(rules[i], i, nullptr));
    RunOptions options;
    options.limits.iterations = 1000;
    options.limits.nodes = 2000;
    options.search = random.one_in(4) ? SearchMode::kFull : SearchMode::kIncremental;
    choose(random, rule_set.size(), options);
    const RunReport report = run(twins.engine, rule_set, options);
    REQUIRE(is_sound(twins));
    // A rule that would have merged what others make again and again may be kept out for too long.
    if (report.stop.stop == Stop::kNodes) continue;
    REQUIRE(to_string(report.stop) == "saturated");
    REQUIRE(twins.difference() == "");
    ++compared;
  }
  return compared;
}

SchedulerOptions random_backoff(Random& random) {
  return {SchedulerOptions::Policy::kBackoff, 1 + random.below(5), random.below(4)};
}

TEST_CASE("random: back-off ends where the plain schedule ends") {
  const std::vector<uint32_t> seeds = random_seeds(60'000, 700);
  const uint32_t compared = compare_ends(seeds, [](Random& random, uint32_t, RunOptions& options) {
    options.scheduler = random_backoff(random);
  });
  CHECK(are_enough(compared, 280, seeds, 700));
}

TEST_CASE("random: phases, of which the last has all rules, end where one phase ends") {
  const std::vector<uint32_t> seeds = random_seeds(70'000, 700);
  const auto choose = [](Random& random, uint32_t rules, RunOptions& options) {
    for (uint32_t i = 0; i < 1 + random.below(3); ++i) {
      Phase phase;
      for (uint32_t rule = 0; rule < rules; ++rule) {
        if (random.one_in(2)) phase.rules.push_back(rule);
      }
      if (random.one_in(2)) phase.scheduler = random_backoff(random);
      phase.limits.iterations = 1 + random.below(4);
      // The phase is cut short in the middle of its matches.
      if (random.one_in(3)) phase.limits.nodes = 4 + random.below(40);
      if (random.one_in(3)) phase.limits.matches = random.below(20);
      options.phases.push_back(phase);
    }
    Phase all;
    all.rules.resize(rules);
    std::iota(all.rules.begin(), all.rules.end(), 0);
    all.limits.iterations = 1000;
    options.phases.push_back(all);
  };
  const uint32_t compared = compare_ends(seeds, choose);
  CHECK(are_enough(compared, 280, seeds, 700));
}

}  // namespace
}  // namespace flipsat::egraph::reference
