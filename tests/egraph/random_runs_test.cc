// Whole runs of random rules beside the reference engine, compared after each iteration: graph,
// class data, edges, matches found and refusals. Guards read class data that change, the graph is
// changed by hand between iterations and between runs, and rules are added between runs.
#include "tests/catch.h"
#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph::reference {
namespace {

struct Compared {
  uint32_t runs = 0;
  uint32_t iterations_with_matches = 0;
};

// Changes by hand on both graphs, which are rebuilt after it.
void change(Twins& twins, Random& random) {
  grow(twins, random, {0, random.below(4), random.below(3), random.below(2)});
  twins.rebuild();
}

SideBySide random_how(Random& random, SearchMode search) {
  SideBySide how;
  how.options.search = search;
  how.options.limits.iterations = 1 + random.below(5);
  how.options.limits.nodes = 300;
  how.options.limits.matches = 3000;
  if (random.one_in(2)) {
    how.between = [&random](Twins& twins) {
      if (random.one_in(2)) change(twins, random);
    };
  }
  return how;
}

void compare_runs(uint32_t seed, SearchMode search, Compared& compared) {
  Random random(seed);
  Twins twins(random_mode(random));
  grow(twins, random, {4, 5 + random.below(15), random.below(4), random.below(3)});
  twins.rebuild();
  const std::vector<TestRule> rules = random_rules(random, twins, 2 + random.below(4), {});
  INFO(text_of(rules));
  if (random.one_in(2)) grow(twins, random, {0, 4, 1, 1});

  SideBySideResult result =
      run_side_by_side(twins, {rules.begin(), rules.end() - 1}, random_how(random, search));
  REQUIRE(result.difference == "");
  if (!result.is_comparable) return;
  ++compared.runs;
  compared.iterations_with_matches += result.rows != 0 ? 1 : 0;

  // One rule more, on a graph merged by hand, with all that the last run has left behind.
  change(twins, random);
  REQUIRE(twins.difference() == "");
  result = run_side_by_side(twins, rules, random_how(random, search));
  REQUIRE(result.difference == "");
}

TEST_CASE("random: incremental runs") {
  const std::vector<uint32_t> seeds = random_seeds(30'000, 2000);
  Compared compared;
  for (const uint32_t seed : seeds) {
    CAPTURE(seed);
    compare_runs(seed, SearchMode::kIncremental, compared);
  }
  CHECK(are_enough(compared.runs, 1500, seeds, 2000));
  CHECK(are_enough(compared.iterations_with_matches, 1000, seeds, 2000));
}

TEST_CASE("random: runs with full search") {
  Compared compared;
  for (const uint32_t seed : random_seeds(40'000, 600)) {
    CAPTURE(seed);
    compare_runs(seed, SearchMode::kFull, compared);
  }
}

// A ground sub-term is looked up rather than searched for: it must be noticed when its class
// changes, and when it appears.
TEST_CASE("random: runs with rules about a ground leaf") {
  for (const uint32_t seed : random_seeds(50'000, 600)) {
    CAPTURE(seed);
    Random random(seed);
    Twins twins(random_mode(random));
    grow(twins, random, {3, 12, 0, 0});
    const OperatorId zero = operator_of(kNumber, random.below(4));
    const ClassVar x{"x"}, y{"y"};
    const Pattern ground = random.one_in(2) ? exact(zero) : exact(operator_of(kNeg), {exact(zero)});
    std::vector<TestRule> rules(2);
    rules[0].name = "sum-with-ground";
    rules[0].patterns = {random.one_in(2) ? node(kAdd, {x, ground})
                                          : node(kAdd, {node(kMul, {x, ground}), y})};
    rules[0].to = {x};
    rules[1].name = "ground-beside";
    rules[1].patterns = {node(kMul, {x, y}), node(kAdd, {y, ground})};
    rules[1].to = {exact(operator_of(kNeg), {y})};

    SideBySide how;
    how.options.limits.iterations = 6;
    how.options.limits.nodes = 300;
    how.between = [&](Twins& both) {
      const Twins::Handle leaf = both.add(zero, {});
      const Twins::Handle other = random.below(both.handles());
      switch (random.below(3)) {
        case 0:
          both.merge(leaf, other);
          break;
        case 1:
          both.merge(both.add(operator_of(kNeg), {leaf}), other);
          break;
        default:
          both.add(operator_of(kAdd), {other, leaf});
      }
      both.rebuild();
    };
    REQUIRE(run_side_by_side(twins, rules, how).difference == "");
  }
}

}  // namespace
}  // namespace flipsat::egraph::reference
