// Random adds, merges and rebuilds against the reference engine: the equivalence of all terms,
// counts, nodes, parents, look-ups, class data and directed edges after each rebuild.
//
// All random_*_test.cc are deterministic and name the seed that fails. The environment variable
// FLIPSAT_RANDOM_CASES=n runs n seeds of each test instead of the usual number (some 12,000 in
// all), and FLIPSAT_RANDOM_SEED=s runs seed s alone.
#include "tests/catch.h"
#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph::reference {
namespace {

// Nodes that mostly do not exist: either both graphs know one or neither does.
std::string compare_lookups(const Twins& twins, Random& random) {
  for (int i = 0; i < 20; ++i) {
    const OperatorId op = random.below(signature().size());
    const uint32_t arity = signature()[op].kind == kNeg ? 1 : 2;
    std::vector<ClassId> for_engine;
    std::vector<Id> for_naive;
    for (uint32_t c = 0; c < arity; ++c) {
      const Twins::Handle child = random.below(twins.handles());
      for_engine.push_back(twins.engine_name(child));
      for_naive.push_back(twins.naive_name(child));
    }
    const auto by_engine = twins.engine.lookup(op, std::span<const ClassId>(for_engine));
    const auto by_naive = twins.naive.lookup(op, for_naive);
    if (by_engine.has_value() != by_naive.has_value()) return "a look-up";
  }
  return {};
}

TEST_CASE("random: adds, merges and rebuilds") {
  for (const uint32_t seed : random_seeds(0, 3300)) {
    CAPTURE(seed);
    Random random(seed);
    Twins twins(random_mode(random));
    Growth growth{1 + random.below(5), random.below(25), random.below(4), random.below(4)};
    for (int round = 0; round < 4; ++round) {
      CAPTURE(round);
      if (!grow(twins, random, growth)) FAIL("merge: were the classes equal already?");
      twins.rebuild();
      REQUIRE(twins.difference() == "");
      REQUIRE(compare_lookups(twins, random) == "");
      growth = {random.below(2), random.below(10), 1 + random.below(5), random.below(4)};
    }
  }
}

// One merge at the bottom makes levels above it fall together, one after the other.
TEST_CASE("random: towers that fall together") {
  for (const uint32_t seed : random_seeds(10'000, 700)) {
    CAPTURE(seed);
    Random random(seed);
    Twins twins(random_mode(random));
    std::vector<Twins::Handle> tops;
    for (uint32_t leaf = 0; leaf < 3; ++leaf) tops.push_back(twins.add(leaf, {}));
    const Twins::Handle bottoms[] = {tops[0], tops[1], tops[2]};
    const uint32_t height = 2 + random.below(12);
    for (uint32_t level = 0; level < height; ++level) {
      const uint32_t shape = random.below(3);
      const Twins::Handle shared = random.below(twins.handles());
      for (Twins::Handle& top : tops) {
        if (random.one_in(12)) continue;  // this tower is cut off from the others
        top = shape == 0   ? twins.add(operator_of(kNeg), {top})
              : shape == 1 ? twins.add(operator_of(kAdd), {top, top})
                           : twins.add(operator_of(kTriple), {shared, top, bottoms[0]});
      }
      if (random.one_in(4)) twins.rebuild();
    }
    twins.rebuild();
    REQUIRE(twins.difference() == "");
    twins.merge(bottoms[0], bottoms[1]);
    if (random.one_in(2)) {
      twins.rebuild();
      REQUIRE(twins.difference() == "");
    }
    twins.merge(random.one_in(2) ? bottoms[0] : tops[0], bottoms[2]);
    twins.rebuild();
    REQUIRE(twins.difference() == "");
  }
}

}  // namespace
}  // namespace flipsat::egraph::reference
