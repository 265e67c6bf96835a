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
// Beyond, the products that are zero have so many matches that going on is too much for a test.
constexpr uint64_t kMostToGoOn = 10'000;

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

// None that is met, but some that keep a broken one from taking the whole machine.
Limits no_limits() {
  Limits limits;
  limits.nodes = 600'000;
  limits.iterations = 1000;
  limits.bytes = 500'000'000;
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
  for (const uint64_t nodes : between(40, 100'000)) {
    Exploding math;
    Limits limits = no_limits();
    limits.nodes = nodes;
    CHECK(math.run(limits).stop == StopReason{Stop::kNodes, static_cast<double>(nodes)});
    CHECK(math.graph.node_count() <= at_most(nodes, kLargestRightSide));
    math.graph.check();
    if (nodes > kMostToGoOn) continue;
    limits.nodes = 2 * nodes;
    CHECK(math.run(limits).stop == StopReason{Stop::kNodes, static_cast<double>(2 * nodes)});
    CHECK(math.graph.node_count() <= at_most(2 * nodes, kLargestRightSide));
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
    if (classes > kMostToGoOn / 4) continue;
    limits.classes = 2 * classes;
    CHECK(math.run(limits).stop == StopReason{Stop::kClasses, static_cast<double>(2 * classes)});
    CHECK(math.graph.class_count() <= at_most(2 * classes, kLargestRightSide));
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
    if (matches > kMostToGoOn) continue;
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
    CHECK(math.graph.bytes() <= at_most(2 * bytes, 48 * kLargestRightSide));
  }
}

enum : Kind { kLeaf, kPair, kTop, kNext };
const ClassVar x{"x"}, y{"y"}, z{"z"}, w{"w"};

// A class of so many pairs, and one node above it.
struct Pairs {
  explicit Pairs(uint32_t count) {
    const ClassId last = graph.add(graph.intern(kLeaf, UINT32_MAX));
    const OperatorId pair = graph.intern(kPair);
    const ClassId all = graph.add(pair, {last, last});
    for (uint32_t i = 0; i < count; ++i) {
      graph.add_to(all, pair, std::vector<ClassId>{graph.add(graph.intern(kLeaf, i)), last});
    }
    graph.add(graph.intern(kTop), {all, all});
    graph.rebuild();
  }
  RunReport run(const Limits& limits) {
    RunOptions options;
    options.limits = limits;
    return egraph::run(graph, rules, options);
  }

  EGraph graph;
  RuleSet rules;
};

TEST_CASE("limits: iterations") {
  for (uint64_t iterations = 0; iterations < 20; ++iterations) {
    // (pair a b) = (pair (next a) b) = ...
    Pairs endless(1);
    const OperatorId pair = endless.graph.intern(kPair), next = endless.graph.intern(kNext);
    endless.rules.add(Rule("next", node(kPair, {x, y})).to(exact(pair, {exact(next, {x}), y})));
    Limits limits = no_limits();
    limits.iterations = iterations;
    const RunReport report = endless.run(limits);
    CHECK(report.stop == StopReason{Stop::kIterations, static_cast<double>(iterations)});
    CHECK(report.iterations.size() == iterations);
    endless.graph.check();
    limits.iterations = 1;
    CHECK(endless.run(limits).iterations.size() == 1);
  }
}

// From one node there are as many matches as pairs of pairs.
TEST_CASE("limits: inside a search") {
  const Pattern two_pairs = node(kTop, {node(kPair, {x, y}), node(kPair, {z, w})});
  for (const uint64_t limit : between(10, 1'000'000)) {
    Pairs pairs(2000);
    pairs.rules.add(
        Rule("swap", two_pairs).then([](EGraph&, const Match&) { return Outcome::nothing(); }));
    const uint64_t before = pairs.graph.bytes();
    Limits limits = no_limits();
    limits.matches = limit;
    const RunReport report = pairs.run(limits);
    CHECK(report.stop == StopReason{Stop::kMatches, static_cast<double>(limit)});
    CHECK(matches_of(report) <= at_most(limit, 1));

    limits = no_limits();
    limits.bytes = before + 24 * limit;
    const RunReport held = pairs.run(limits);
    CHECK(held.stop == StopReason{Stop::kBytes, static_cast<double>(limits.bytes)});
    const uint64_t rows = 24 * matches_of(held);  // of five classes, and a little
    CHECK(before + rows <= at_most(limits.bytes + limits.bytes / 4, 24 * 2048));
    pairs.graph.check();
  }
}

// What a rule's own matcher finds, and what guards refuse, are matches as well.
TEST_CASE("limits: inside a search that is the client's") {
  for (const uint64_t limit : between(10, 100'000)) {
    Pairs pairs(1000);
    Rule refused("refused", node(kTop, {node(kPair, {x, y}), node(kPair, {z, w})}));
    refused.where([](const Match&) { return refuse("never"); });
    pairs.rules.add(std::move(refused).to(x));
    Limits limits = no_limits();
    limits.matches = limit;
    const RunReport report = pairs.run(limits);
    CHECK(report.stop == StopReason{Stop::kMatches, static_cast<double>(limit)});
    CHECK(matches_of(report) <= at_most(limit, 1));
  }
}

// One right-hand side in C++ that adds a chain: the limit is passed by no more than one chain.
TEST_CASE("limits: inside apply") {
  constexpr uint32_t kChain = 50;
  for (const uint64_t limit : between(2'100, 50'000)) {
    for (const bool is_term : {false, true}) {
      Pairs pairs(1000);
      const OperatorId next = pairs.graph.intern(kNext);
      Rule rule("chain", node(kPair, {x, y}));
      if (is_term) {
        Pattern chain = x;
        for (uint32_t i = 0; i < kChain; ++i) chain = exact(next, {chain});
        pairs.rules.add(std::move(rule).to(exact(pairs.graph.intern(kPair), {chain, y})));
      } else {
        pairs.rules.add(std::move(rule).then([next](EGraph& graph, const Match& match) {
          ClassId end = match[x];
          for (uint32_t i = 0; i < kChain; ++i) end = graph.add(next, {end});
          return Outcome(graph.add(graph.intern(kPair), {end, match[y]}));
        }));
      }
      Limits limits = no_limits();
      limits.nodes = limit;
      CHECK(pairs.run(limits).stop == StopReason{Stop::kNodes, static_cast<double>(limit)});
      CHECK(pairs.graph.node_count() <= at_most(limit, kChain + 1));
      pairs.graph.check();
    }
  }
}

// An analysis that adds a node whenever it is asked: rebuild alone would go on for ever.
struct Nothing {};
class Endless : public AnalysisOf<Nothing> {
 public:
  Nothing make(const EGraph&, NodeId) const override { return {}; }
  MergeResult merge(Nothing&, const Nothing&) const override { return {}; }
  void modify(EGraph& graph, ClassId cls) override { graph.add(graph.intern(kNext), {cls}); }
};

TEST_CASE("limits: inside rebuild") {
  for (const uint64_t limit : between(10, 100'000)) {
    for (const Stop stop : {Stop::kNodes, Stop::kClasses, Stop::kBytes}) {
      EGraph graph(std::make_unique<Endless>());
      graph.add(graph.intern(kLeaf));
      RunOptions options;
      options.limits = no_limits();
      if (stop == Stop::kNodes) options.limits.nodes = limit;
      if (stop == Stop::kClasses) options.limits.classes = limit;
      if (stop == Stop::kBytes) options.limits.bytes = 100 * limit;
      CHECK(run(graph, {}, options).stop.stop == stop);
      if (stop == Stop::kNodes) CHECK(graph.node_count() <= at_most(limit, 1));
      if (stop == Stop::kClasses) CHECK(graph.class_count() <= at_most(limit, 1));
      if (stop == Stop::kBytes) CHECK(graph.bytes() <= at_most(100 * limit, 100));
      graph.check();
      options.limits.nodes = 2 * graph.node_count();
      options.limits.classes = options.limits.bytes = Limits::kNone;
      CHECK(run(graph, {}, options).stop.stop == Stop::kNodes);
    }
  }
}

}  // namespace
}  // namespace flipsat::egraph
