#include "egraph/why_not.h"

#include <set>

#include "egraph/runner.h"
#include "tests/catch.h"
#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph {
namespace {

enum : Kind { kLeaf, kAdd, kNeg };
const ClassVar x{"x"}, y{"y"};
const OpVar f{"f"};

struct Missing {
  EGraph graph;
  OperatorId add = graph.intern(kAdd);
  OperatorId neg = graph.intern(kNeg);
  ClassId leaf(uint32_t name) { return graph.add(graph.intern(kLeaf, name)); }
  static Rule rule(Pattern pattern) {
    Rule made("rule", std::move(pattern));
    made.then([](EGraph&, const Match&) { return Outcome::nothing(); });
    return made;
  }
};

TEST_CASE_METHOD(Missing, "why not: an operator is missing below") {
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId sum = graph.add(add, {a, b});
  const Rule wants = rule(node(kAdd, {x, node(kNeg, {y})}));
  const Miss miss = why_not(graph, wants, sum);
  CHECK(miss.what == Miss::What::kNoOperator);
  CHECK(miss.path == std::vector<uint32_t>{1});
  CHECK(miss.cls == b);
  CHECK(miss.wanted->kind == kNeg);
  CHECK(to_string(miss) == "class " + std::to_string(b) +
                               " (child 1 of the root) has no node of the operator that the "
                               "pattern wants there");
  CHECK(why_not(graph, wants, a).path.empty());
}

TEST_CASE_METHOD(Missing, "why not: the attempt that got farthest is told") {
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId shallow = graph.add(add, {a, b});
  const ClassId deep = graph.add(add, {graph.add(neg, {a}), b});
  graph.merge(shallow, deep);
  graph.rebuild();
  const Rule wants = rule(node(kAdd, {node(kNeg, {node(kNeg, {x})}), y}));
  const Miss miss = why_not(graph, wants, deep);
  CHECK(miss.path == std::vector<uint32_t>{0, 0});
  CHECK(miss.cls == a);
}

TEST_CASE_METHOD(Missing, "why not: a variable stands for two classes") {
  const ClassId sum = graph.add(add, {leaf(0), leaf(1)});
  const Rule wants = rule(node(kAdd, {x, x}));
  const Miss miss = why_not(graph, wants, sum);
  CHECK(miss.what == Miss::What::kOtherClass);
  CHECK(miss.path == std::vector<uint32_t>{1});
  CHECK(to_string(miss).find("x stands for") != std::string::npos);
}

TEST_CASE_METHOD(Missing, "why not: a guard says why") {
  const ClassId minus = graph.add(neg, {leaf(0)});
  const Rule wants =
      rule(node(kNeg, f, {x})).where([](const Match&) { return refuse("on Mondays"); });
  const Miss miss = why_not(graph, wants, minus);
  CHECK(miss.what == Miss::What::kGuard);
  CHECK(to_string(miss) == "refused: on Mondays");
}

TEST_CASE_METHOD(Missing, "why not: another pattern has no place") {
  const ClassId a = leaf(0);
  const ClassId minus = graph.add(neg, {a});
  Rule wants = rule(node(kNeg, {x}));
  wants.also(node(kAdd, {x, y}));
  const Miss miss = why_not(graph, wants, minus);
  CHECK(miss.what == Miss::What::kNoOperator);
  CHECK(miss.pattern == 1);
  graph.add(add, {leaf(1), a});
  CHECK(why_not(graph, wants, minus).what == Miss::What::kOtherClass);
  graph.add(add, {a, a});
  CHECK(why_not(graph, wants, minus).what == Miss::What::kMatches);
}

TEST_CASE_METHOD(Missing, "why not: a matcher finds no way") {
  const ClassId minus = graph.add(neg, {leaf(0)});
  Rule wants = rule(node(kNeg, {x}));
  wants.follow({y}, [](const Match&, const Rule::Found&) {});
  CHECK(why_not(graph, wants, minus).what == Miss::What::kMatcher);
}

TEST_CASE("why not: says `it matches` exactly where search finds a match") {
  for (const uint32_t seed : reference::random_seeds(97'000, 400)) {
    CAPTURE(seed);
    reference::Random random(seed);
    reference::Twins twins(reference::random_mode(random));
    reference::grow(twins, random, {4, 4 + random.below(20), random.below(5), 0});
    twins.rebuild();
    reference::RuleShape shape;
    shape.only_look = true;
    for (const auto& rule_shape : reference::random_rules(random, twins, 3, shape)) {
      std::vector<reference::RecordedMatch> recorded;
      RuleSet rules;
      rules.add(reference::engine_rule(rule_shape, 0, &recorded));
      RunOptions options;
      options.limits.iterations = 1;
      run(twins.engine, rules, options);
      std::set<ClassId> roots;
      for (const auto& match : recorded) roots.insert(twins.engine.find(match.root));
      for (const ClassId cls : twins.engine.classes()) {
        const bool matches = why_not(twins.engine, rules[0], cls).what == Miss::What::kMatches;
        REQUIRE(matches == (roots.count(cls) != 0));
      }
    }
  }
}

}  // namespace
}  // namespace flipsat::egraph
