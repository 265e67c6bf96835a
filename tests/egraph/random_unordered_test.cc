// Unordered kinds against the reference engine: a node's children are a multiset, through merges,
// look-ups and runs. Patterns do not look at places of children of such nodes.
#include <algorithm>

#include "tests/catch.h"
#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph::reference {
namespace {

TEST_CASE("random: unordered kinds") {
  for (const uint32_t seed : random_seeds(100'000, 1500)) {
    CAPTURE(seed);
    Random random(seed);
    Twins twins(random_mode(random));
    for (const Kind kind : {kAdd, kMany, kTriple}) {
      if (!random.one_in(3)) twins.declare_unordered(kind);
    }
    grow(twins, random, {3, 5 + random.below(20), random.below(4), random.below(3)});
    for (int round = 0; round < 3; ++round) {
      twins.rebuild();
      REQUIRE(twins.difference() == "");
      grow(twins, random, {0, random.below(6), 1 + random.below(3), 1});
    }
    twins.rebuild();
    SideBySide how;
    how.options.limits.iterations = 3;
    how.options.limits.nodes = 300;
    how.options.limits.matches = 2000;
    how.options.search = random.one_in(3) ? SearchMode::kFull : SearchMode::kIncremental;
    const std::vector<TestRule> rules = random_rules(random, twins, 3, {});
    REQUIRE(run_side_by_side(twins, rules, how).difference == "");
  }
}

// The same bag in any order is the same node.
TEST_CASE("random: an unordered node is found by its children in any order") {
  for (const uint32_t seed : random_seeds(101'500, 500)) {
    CAPTURE(seed);
    Random random(seed);
    EGraph graph;
    graph.declare_unordered(1);
    const OperatorId bag = graph.intern(1);
    std::vector<ClassId> leaves;
    for (uint32_t i = 0; i < 5; ++i) leaves.push_back(graph.add(graph.intern(0, i)));
    std::vector<ClassId> children(random.below(40));
    for (ClassId& child : children) child = random.pick(leaves);
    const ClassId cls = graph.add(bag, std::span<const ClassId>(children));
    for (int i = 0; i < 3; ++i) {
      for (size_t k = children.size(); k > 1; --k) {
        std::swap(children[k - 1], children[random.below(k)]);
      }
      REQUIRE(graph.lookup(bag, std::span<const ClassId>(children)) == graph.find(cls));
      REQUIRE(graph.find(graph.add(bag, std::span<const ClassId>(children))) == graph.find(cls));
      graph.merge(random.pick(leaves), random.pick(leaves));
      if (random.one_in(2)) graph.add(bag, std::span<const ClassId>(children));
      graph.rebuild();
      graph.check();
      REQUIRE(std::ranges::distance(graph.nodes(cls)) == 1);
    }
    // One child more or less is another bag.
    children.push_back(leaves.front());
    REQUIRE(graph.lookup(bag, std::span<const ClassId>(children)) != graph.find(cls));
  }
}

}  // namespace
}  // namespace flipsat::egraph::reference
