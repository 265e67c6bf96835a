// The limits hold, wherever they are met: inside search, apply and rebuild, on what explodes.
#include <cmath>

#include "egraph/io/text.h"
#include "egraph/runner.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

// Calculus in the way of computer algebra, and what it has from zero: any factor.
constexpr const char* kExploding = R"(
comm-add: (+ ?a ?b) => (+ ?b ?a)
comm-mul: (* ?a ?b) => (* ?b ?a)
assoc-add: (+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c)
assoc-mul: (* ?a (* ?b ?c)) => (* (* ?a ?b) ?c)
sub: (- ?a ?b) => (+ ?a (* -1 ?b))
add-zero: (+ ?a 0) => ?a
mul-zero: (* ?a 0) => 0
mul-one: (* ?a 1) => ?a
add-zero-back: ?a => (+ ?a 0)
mul-one-back: ?a => (* ?a 1)
cancel: (- ?a ?a) => 0
distribute: (* ?a (+ ?b ?c)) => (+ (* ?a ?b) (* ?a ?c))
factor: (+ (* ?a ?b) (* ?a ?c)) => (* ?a (+ ?b ?c))
pow-mul: (* (pow ?a ?b) (pow ?a ?c)) => (pow ?a (+ ?b ?c))
pow-one: (pow ?a 1) => ?a
pow-two: (pow ?a 2) => (* ?a ?a)
square: (* ?a ?a) => (pow ?a 2)
d-add: (d ?x (+ ?a ?b)) => (+ (d ?x ?a) (d ?x ?b))
d-mul: (d ?x (* ?a ?b)) => (+ (* ?a (d ?x ?b)) (* ?b (d ?x ?a)))
d-cos: (d ?x (cos ?x)) => (* -1 (sin ?x))
i-cos: (i (cos ?x) ?x) => (sin ?x)
i-add: (i (+ ?f ?g) ?x) => (+ (i ?f ?x) (i ?g ?x))
i-parts: (i (* ?a ?b) ?x) => (- (* ?a (i ?b ?x)) (i (* (d ?x ?a) (i ?b ?x)) ?x))
)";
constexpr const char* kStart[] = {"(i (+ x (cos x)) x)", "(i (* (cos x) x) x)",
                                  "(d x (+ 1 (* 2 x)))", "(- (pow x 3) (* 7 (pow x 2)))",
                                  "(* (* y (+ x y)) (- (+ x 2) (+ x x)))"};
constexpr uint64_t kLargestRightSide = 9;  // nodes

struct Exploding {
  Exploding() {
    for (const char* text : kStart) add_term(graph, read_term(text, "start", symbols), symbols);
    graph.rebuild();
    rules = make_rules(text_rules = read_rules(kExploding, "rules", symbols), symbols, graph);
  }
  RunReport run(const Limits& limits) {
    RunOptions options;
    options.limits = limits;
    return egraph::run(graph, rules, options);
  }

  Symbols symbols;
  EGraph graph;
  std::vector<TextRule> text_rules;
  RuleSet rules;
};

Limits no_limits() {
  Limits limits;
  limits.nodes = limits.iterations = Limits::kNone;
  return limits;
}

uint64_t matches_of(const RunReport& report) {
  uint64_t sum = 0;
  for (const RuleStats& rule : report.rules) sum += rule.matched;
  return sum;
}

// Numbers from the one to the other, in equal steps of their logarithm.
std::vector<uint64_t> between(double from, double to, int count = 20) {
  std::vector<uint64_t> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(static_cast<uint64_t>(from * std::pow(to / from, i / (count - 1.0))));
  }
  return values;
}

// Above the limit by a twentieth, or where that is less by one step of the work.
uint64_t at_most(uint64_t limit, uint64_t step) { return limit + std::max(limit / 20, step); }

TEST_CASE("limits: nodes") {
  for (const uint64_t nodes : between(40, 150'000)) {
    Exploding math;
    Limits limits = no_limits();
    limits.nodes = nodes;
    CHECK(math.run(limits).stop == StopReason{Stop::kNodes, static_cast<double>(nodes)});
    CHECK(math.graph.node_count() <= at_most(nodes, kLargestRightSide));
    math.graph.check();
    limits.nodes = 2 * nodes;
    CHECK(math.run(limits).stop == StopReason{Stop::kNodes, static_cast<double>(2 * nodes)});
    CHECK(math.graph.node_count() > nodes);
  }
}

TEST_CASE("limits: classes") {
  for (const uint64_t classes : between(40, 20'000)) {
    Exploding math;
    Limits limits = no_limits();
    limits.classes = classes;
    CHECK(math.run(limits).stop == StopReason{Stop::kClasses, static_cast<double>(classes)});
    CHECK(math.graph.class_count() <= at_most(classes, kLargestRightSide));
    math.graph.check();
    limits.classes = 2 * classes;
    CHECK(math.run(limits).stop == StopReason{Stop::kClasses, static_cast<double>(2 * classes)});
  }
}

TEST_CASE("limits: matches") {
  for (const uint64_t matches : between(1, 1'000'000)) {
    Exploding math;
    Limits limits = no_limits();
    limits.matches = matches;
    const RunReport report = math.run(limits);
    CHECK(report.stop == StopReason{Stop::kMatches, static_cast<double>(matches)});
    CHECK(matches_of(report) > matches);
    CHECK(matches_of(report) <= at_most(matches, math.rules.size()));
    math.graph.check();
    limits.matches = 4 * matches;
    CHECK(math.run(limits).stop == StopReason{Stop::kMatches, static_cast<double>(4 * matches)});
  }
}

TEST_CASE("limits: bytes") {
  for (const uint64_t bytes : between(3'000, 10'000'000)) {
    Exploding math;
    Limits limits = no_limits();
    limits.bytes = bytes;
    CHECK(math.run(limits).stop == StopReason{Stop::kBytes, static_cast<double>(bytes)});
    CHECK(math.graph.bytes() <= at_most(bytes, 48 * kLargestRightSide));
    math.graph.check();
    limits.bytes = 2 * bytes;
    CHECK(math.run(limits).stop == StopReason{Stop::kBytes, static_cast<double>(2 * bytes)});
  }
}

TEST_CASE("limits: iterations") {
  for (uint64_t iterations = 0; iterations < 20; ++iterations) {
    Exploding math;
    Limits limits = no_limits();
    limits.iterations = iterations;
    limits.nodes = 1'000'000;
    if (iterations > 6) math.rules = RuleSet();  // too much for a test
    const RunReport report = math.run(limits);
    if (iterations > 6) {
      CHECK(report.stop.stop == Stop::kSaturated);
      continue;
    }
    CHECK(report.stop == StopReason{Stop::kIterations, static_cast<double>(iterations)});
    CHECK(report.iterations.size() == iterations);
    math.graph.check();
    limits.iterations = 1;
    CHECK(math.run(limits).iterations.size() == 1);
  }
}

}  // namespace
}  // namespace flipsat::egraph
