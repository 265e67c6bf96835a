// Directed edges take no part in equality: a graph is as it would be without them. Two narrow
// terms that share a wide refinement stay apart, and so do the terms above them.
#include "tests/catch.h"
#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph::reference {
namespace {

// Pairs of different classes with an edge to the same class.
uint32_t shared_refinements(const EGraph& graph) {
  std::map<ClassId, uint32_t> sources;
  for (const ClassId cls : graph.classes()) {
    for (const Edge& edge : graph.edges(cls)) ++sources[edge.to];
  }
  uint32_t pairs = 0;
  for (const auto& [to, count] : sources) pairs += count * (count - 1) / 2;
  return pairs;
}

// A graph of random terms, narrow leaves that may all be replaced by wide ones, and the same terms
// above narrow and wide ones; then a run of random rules. All of it twice, once without edges.
void build(Twins& twins, Random& random, bool with_edges) {
  grow(twins, random, {3, 6 + random.below(12), random.below(3), 4, with_edges});
  for (uint32_t i = 0; i < 1 + random.below(3); ++i) {
    const Twins::Handle wide = random.below(twins.handles());
    const OperatorId above = operator_of(random.one_in(2) ? kNeg : kMany);
    const Twins::Handle above_wide = twins.add(above, {wide});
    for (uint32_t k = 0; k < 2 + random.below(2); ++k) {
      const Twins::Handle narrow = twins.add(operator_of(kLeaf, random.below(6)), {});
      const Twins::Handle above_narrow = twins.add(above, {narrow});
      if (!with_edges) continue;
      twins.add_edge(narrow, wide);
      twins.add_edge(above_narrow, above_wide);
    }
  }
  twins.rebuild();
  RuleSet rule_set;
  const RuleShape shape{.may_add_edges = false};
  const std::vector<TestRule> rules = random_rules(random, twins, 3, shape);
  for (uint32_t i = 0; i < rules.size(); ++i) rule_set.add(engine_rule(rules[i], i, nullptr));
  RunOptions options;
  options.limits.iterations = 1 + random.below(4);
  options.limits.nodes = 400;
  options.limits.matches = 3000;
  run(twins.engine, rule_set, options);
}

TEST_CASE("random: narrow terms with a shared wide refinement never become equal") {
  const std::vector<uint32_t> seeds = random_seeds(80'000, 700);
  uint32_t shared = 0;
  for (const uint32_t seed : seeds) {
    CAPTURE(seed);
    const FactsMode mode = seed % 2 == 0 ? FactsMode::kNone : FactsMode::kFolded;
    Twins with(mode);
    Twins without(mode);
    Random first(seed);
    build(with, first, true);
    Random second(seed);
    build(without, second, false);

    REQUIRE(with.engine.node_count() == without.engine.node_count());
    REQUIRE(with.engine.class_count() == without.engine.class_count());
    bool same_relation = true;
    for (Twins::Handle a = 0; a < with.handles(); ++a) {
      for (Twins::Handle b = 0; b < a; ++b) {
        const auto are_equal = [&](const Twins& twins) {
          return twins.engine.find(twins.engine_name(a)) == twins.engine.find(twins.engine_name(b));
        };
        same_relation = same_relation && are_equal(with) == are_equal(without);
      }
    }
    REQUIRE(same_relation);
    shared += shared_refinements(with.engine) != 0 ? 1 : 0;
  }
  CHECK(are_enough(shared, 500, seeds, 700));
}

}  // namespace
}  // namespace flipsat::egraph::reference
