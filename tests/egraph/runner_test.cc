#include "egraph/runner.h"

#include <set>
#include <stdexcept>

#include "egraph/extract.h"

#include "tests/catch.h"
#include "tests/egraph/workload.h"

namespace flipsat::egraph {
namespace {

enum : Kind { kAdd, kZero, kLeaf, kNeg };
const ClassVar x{"x"}, y{"y"}, z{"z"};
const OpVar f{"f"};

// The example at the top of egraph/egraph.h.
TEST_CASE("runner: the example of the front page") {
  EGraph graph;
  const OperatorId add = graph.intern(kAdd), zero = graph.intern(kZero);
  const ClassId a = graph.add(graph.intern(kLeaf, 7));
  const ClassId sum = graph.add(add, {a, graph.add(zero)});

  RuleSet rules;
  rules.add(Rule("add-comm", node(kAdd, {x, y})).to(exact(add, {y, x})));
  rules.add(Rule("add-zero", node(kAdd, {x, node(kZero)})).to(x));
  const RunReport report = run(graph, rules, {});
  const Extraction best = extract_tree(graph, [](NodeId) { return Cost{1}; });

  CHECK(to_string(report.stop) == "saturated");
  CHECK(best.node(graph.find(sum)) == a);
}

TEST_CASE("runner: every limit ends the run, and the reason carries it") {
  const auto stop = [](auto set) {
    Workload sum = sum_of_leaves(9);
    RunOptions options;
    set(options);
    const RunReport report = run(sum.graph, sum.rules, options);
    sum.graph.check();
    return report.stop;
  };
  CHECK(stop([](RunOptions& o) { o.limits.nodes = 500; }) == StopReason{Stop::kNodes, 500});
  CHECK(stop([](RunOptions& o) { o.limits.classes = 50; }) == StopReason{Stop::kClasses, 50});
  CHECK(stop([](RunOptions& o) { o.limits.iterations = 2; }) == StopReason{Stop::kIterations, 2});
  CHECK(stop([](RunOptions& o) { o.limits.matches = 300; }) == StopReason{Stop::kMatches, 300});
  CHECK(stop([](RunOptions& o) { o.limits.bytes = 50'000; }) == StopReason{Stop::kBytes, 50'000});
  CHECK(stop([](RunOptions& o) { o.limits.seconds = 0; }) == StopReason{Stop::kSeconds, 0});
  CHECK(to_string(StopReason{Stop::kNodes, 500}) == "node limit 500");
}

TEST_CASE("runner: the node limit holds inside apply, up to one right-hand side") {
  Workload sum = sum_of_leaves(9);
  RunOptions options;
  options.limits.nodes = 500;
  uint64_t most = 0;
  options.after_iteration = [&](EGraph& graph, uint64_t) {
    most = std::max(most, graph.node_count());
    return true;
  };
  run(sum.graph, sum.rules, options);
  CHECK(most < 500);
  CHECK(sum.graph.node_count() <= 502);
}

TEST_CASE("runner: the client can end the run") {
  Workload sum = sum_of_leaves(6);
  RunOptions options;
  options.after_iteration = [](EGraph&, uint64_t iteration) { return iteration < 1; };
  const RunReport report = run(sum.graph, sum.rules, options);
  CHECK(report.stop.stop == Stop::kClient);
  CHECK(report.iterations.size() == 2);
}

TEST_CASE("runner: the same run gives the same graph, node for node") {
  Workload a = sum_of_leaves(7), b = sum_of_leaves(7);
  RunOptions options;
  options.limits.nodes = 1500;  // ends in the middle of an iteration
  run(a.graph, a.rules, options);
  run(b.graph, b.rules, options);
  REQUIRE(a.graph.node_bound() == b.graph.node_bound());
  for (NodeId node = 0; node < a.graph.node_bound(); ++node) {
    REQUIRE(a.graph.op(node) == b.graph.op(node));
    REQUIRE(a.graph.find(node) == b.graph.find(node));
    REQUIRE(a.graph.is_live(node) == b.graph.is_live(node));
    REQUIRE(std::ranges::equal(a.graph.children(node), b.graph.children(node)));
  }
}

TEST_CASE("runner: nodes are born of the rule that made them") {
  EGraph graph;
  graph.keep_history();
  const OperatorId add = graph.intern(kAdd);
  const ClassId a = graph.add(graph.intern(kLeaf, 0)), b = graph.add(graph.intern(kLeaf, 1));
  graph.add(add, {graph.add(add, {a, b}), a});
  const uint32_t start = graph.node_bound();
  RuleSet rules;
  rules.add(Rule("comm", node(kAdd, {x, y})).to(exact(add, {y, x})));
  rules.add(
      Rule("assoc", node(kAdd, {node(kAdd, {x, y}), z})).to(exact(add, {x, exact(add, {y, z})})));
  run(graph, rules, {});
  REQUIRE(graph.node_bound() > start + 3);
  std::set<Reason> makers;
  for (NodeId node = 0; node < graph.node_bound(); ++node) {
    const Reason born = graph.born_of(node);
    CHECK((node < start) == (born == kNoReason));
    if (node >= start) makers.insert(born);
  }
  CHECK(makers == std::set<Reason>{0, 1});
}

TEST_CASE("runner: refusals count distinct roots, however often they are tried") {
  EGraph graph;
  const OperatorId neg = graph.intern(kNeg);
  ClassId top = graph.add(graph.intern(kLeaf, 0));
  for (int i = 0; i < 5; ++i) top = graph.add(neg, {top});
  RuleSet rules;
  rules.add(Rule("never", node(kNeg, {x}))
                .where([](const Match&) { return refuse("never"); })
                .to(x)
                .looks_elsewhere());  // searched in full: tried every iteration
  rules.add(Rule("late", node(kLeaf, f)).then([](EGraph& g, const Match& m) -> Outcome {
    if (m.payload(f) >= 3) return refuse("enough leaves");
    g.add(g.intern(kLeaf, m.payload(f) + 1));
    return Outcome::nothing();
  }));
  const RunReport report = run(graph, rules, {});
  CHECK(report.stop.stop == Stop::kSaturated);
  CHECK(report.iterations.size() > 2);
  CHECK(report.rules[0].matched > 5);
  CHECK(report.rules[0].refused == std::map<std::string, uint64_t>{{"never", 5}});
  CHECK(report.rules[0].applied == 0);
  CHECK(report.rules[1].refused == std::map<std::string, uint64_t>{{"enough leaves", 1}});
}

TEST_CASE("runner: a rule that looks elsewhere sees what incremental search cannot") {
  // Fires where the grandchild's class has a zero: no variable of the pattern is bound to it.
  const auto saturate = [](bool declared) {
    EGraph graph;
    const OperatorId neg = graph.intern(kNeg);
    const ClassId leaf = graph.add(graph.intern(kLeaf, 0));
    const ClassId top = graph.add(neg, {graph.add(neg, {leaf})});
    RuleSet rules;
    Rule far("far", node(kNeg, f, {x}));
    far.where([](const Match& m) {
         for (const NodeId inner : m.graph().nodes(m[x])) {
           for (const ClassId child : m.graph().children(inner)) {
             if ((m.graph().kinds(child) & EGraph::kind_bit(kZero)) != 0) return accept();
           }
         }
         return refuse("no zero below");
       })
        .then([](EGraph& g, const Match&) -> Outcome { return g.add(g.intern(kZero)); });
    if (declared) far.looks_elsewhere();
    rules.add(std::move(far));
    rules.add(Rule("leaf", node(kLeaf)).then([](EGraph& g, const Match&) -> Outcome {
      return g.add(g.intern(kZero));
    }));
    run(graph, rules, {});
    return graph.find(top) == graph.find(leaf);
  };
  CHECK(saturate(true));
  CHECK_FALSE(saturate(false));
}

TEST_CASE("runner: edges alone keep a run going, and are counted") {
  EGraph graph;
  const OperatorId neg = graph.intern(kNeg);
  const ClassId leaf = graph.add(graph.intern(kLeaf, 0));
  const ClassId top = graph.add(neg, {graph.add(neg, {leaf})});
  RuleSet rules;
  rules.add(Rule("down", node(kNeg, {node(kNeg, {x})})).then([](EGraph& g, const Match& m) {
    g.add_edge(m.root(), m[x]);
    return Outcome::done();
  }));
  const RunReport report = run(graph, rules, {});
  CHECK(report.stop.stop == Stop::kSaturated);
  CHECK(report.iterations.size() == 2);
  CHECK(report.rules[0].edges == 1);
  CHECK(graph.edges(top).size() == 1);
}

TEST_CASE("runner: back-off reaches saturation all the same") {
  Workload sum = sum_of_leaves(6);
  RunOptions options;
  options.scheduler.policy = SchedulerOptions::Policy::kBackoff;
  options.scheduler.match_limit = 20;
  const RunReport report = run(sum.graph, sum.rules, options);
  CHECK(report.stop.stop == Stop::kSaturated);
  CHECK(sum.graph.node_count() == 729 - 128 + 1 + 6);
  CHECK(report.rules[1].bans > 0);
}

TEST_CASE("runner: phases run in order, each to its own end") {
  Workload sum = sum_of_leaves(6);
  Phase commute, all;
  commute.rules = {0};
  all.rules = {0, 1, 2};
  all.limits.iterations = 2;
  RunOptions options;
  options.phases = {commute, all, commute};
  const RunReport report = run(sum.graph, sum.rules, options);
  REQUIRE(report.phases.size() == 3);
  CHECK(report.phases[0].stop == Stop::kSaturated);
  CHECK(report.phases[1] == StopReason{Stop::kIterations, 2});
  CHECK(report.phases[2].stop == Stop::kSaturated);
  CHECK(report.stop.stop == Stop::kSaturated);
}

TEST_CASE("runner: the run's own limit ends it in whatever phase") {
  Workload sum = sum_of_leaves(6);
  Phase all;
  all.rules = {0, 1, 2};
  all.limits.iterations = 3;
  RunOptions options;
  options.phases = {all, all, all};
  options.limits.iterations = 4;
  const RunReport report = run(sum.graph, sum.rules, options);
  CHECK(report.iterations.size() == 4);
  CHECK(report.phases.size() == 2);
  CHECK(report.stop == StopReason{Stop::kIterations, 4});
}

TEST_CASE("runner: matches that a phase leaves undone are found by the next") {
  EGraph graph;
  for (uint32_t i = 0; i < 10; ++i) graph.add(graph.intern(kLeaf, i));
  const OperatorId neg = graph.intern(kNeg);
  RuleSet rules;
  rules.add(Rule("negate", node(kLeaf, f)).then([&](EGraph& g, const Match& m) {
    g.add(neg, {m.root()});
    return Outcome::done();
  }));
  Phase cut, all;
  cut.rules = all.rules = {0};
  cut.limits.nodes = 15;  // ends in the middle of an iteration
  RunOptions options;
  options.phases = {cut, all};
  const RunReport report = run(graph, rules, options);
  CHECK(report.phases[0] == StopReason{Stop::kNodes, 15});
  CHECK(report.stop.stop == Stop::kSaturated);
  CHECK(graph.node_count() == 20);
}

TEST_CASE("runner: edges and unions of a rule's code carry the rule") {
  EGraph graph;
  graph.keep_history();
  const OperatorId neg = graph.intern(kNeg);
  const ClassId leaf = graph.add(graph.intern(kLeaf, 0));
  const ClassId top = graph.add(neg, {leaf});
  RuleSet rules;
  rules.add(Rule("first", node(kZero)).to(exact(neg, {exact(neg)})));
  rules.add(Rule("second", node(kNeg, f, {x})).then([](EGraph& g, const Match& m) -> Outcome {
    g.add_edge(m[f], m[x]);
    return g.add(g.intern(kZero));
  }));
  RunOptions options;
  options.limits.iterations = 1;
  run(graph, rules, options);
  REQUIRE(graph.edges(top).size() == 1);
  CHECK(graph.edges(top)[0].reason == 1);
  REQUIRE(graph.unions().size() == 1);
  CHECK(graph.unions()[0].reason == 1);
  CHECK(graph.origin() == kNoReason);
}

TEST_CASE("runner: the client's hook may go on building") {
  EGraph graph;
  const OperatorId neg = graph.intern(kNeg);
  const ClassId leaf = graph.add(graph.intern(kLeaf, 0));
  RuleSet rules;
  rules.add(Rule("double", node(kNeg, {node(kNeg, {x})})).to(x));
  RunOptions options;
  options.after_iteration = [&](EGraph& g, uint64_t iteration) {
    if (iteration == 0) g.add(neg, {g.add(neg, {leaf})});
    return true;
  };
  CHECK(run(graph, rules, options).stop.stop == Stop::kSaturated);
  CHECK(graph.find(*graph.lookup(neg, {*graph.lookup(neg, {leaf})})) == graph.find(leaf));
}

TEST_CASE("runner: what a guard throws comes out") {
  Workload sum = sum_of_leaves(3);
  sum.rules.add(
      Rule("bad", node(1, {x, y}))
          .where([](const Match& m) { return m[ClassVar{"z"}] == 0 ? accept() : accept(); })
          .to(x));
  CHECK_THROWS_AS(run(sum.graph, sum.rules, {}), std::logic_error);
}

TEST_CASE("rule set: refuses a second rule of one name, and a rule that does nothing") {
  RuleSet rules;
  rules.add(Rule("a", node(kNeg, {x})).to(x));
  CHECK_THROWS_AS(rules.add(Rule("a", node(kNeg, {x})).to(x)), std::logic_error);
  CHECK_THROWS_AS(rules.add(Rule("b", node(kNeg, {x}))), std::logic_error);
  CHECK(rules.index_of("a") == 0);
  CHECK(rules.index_of("c") == kNoId);
}

TEST_CASE("runner: a phase with a rule that is not there is refused") {
  EGraph graph;
  graph.add(graph.intern(kLeaf, 0));
  RuleSet rules;
  rules.add(Rule("some", node(kZero)).to(exact(graph.intern(kZero))));
  RunOptions options;
  options.phases.push_back({.rules = {rules.index_of("sone")}});
  CHECK_THROWS_AS(run(graph, rules, options), std::logic_error);
}

TEST_CASE("runner: a rule whose ban ends with the next iteration is not forgotten") {
  EGraph graph;
  const OperatorId neg = graph.intern(kNeg), zero = graph.intern(kZero);
  for (uint32_t i = 0; i < 3; ++i) graph.add(neg, {graph.add(graph.intern(kLeaf, i))});
  RuleSet rules;
  rules.add(Rule("collapse", node(kNeg, {x})).to(exact(zero)));
  RunOptions options;
  options.scheduler = {SchedulerOptions::Policy::kBackoff, 1, 1};
  const RunReport report = run(graph, rules, options);
  CHECK(report.stop.stop == Stop::kSaturated);
  CHECK(report.rules[0].bans == 2);
  CHECK(report.rules[0].unions == 3);
}

TEST_CASE("runner: a match limit of nothing is a limit of one") {
  EGraph graph;
  const OperatorId neg = graph.intern(kNeg), zero = graph.intern(kZero);
  graph.add(neg, {graph.add(graph.intern(kLeaf, 0))});
  RuleSet rules;
  rules.add(Rule("collapse", node(kNeg, {x})).to(exact(zero)));
  RunOptions options;
  options.scheduler = {SchedulerOptions::Policy::kBackoff, 0, 0};
  CHECK(run(graph, rules, options).rules[0].unions == 1);
}

TEST_CASE("runner: a saturator goes on where it was, and starts anew after a pop") {
  EGraph graph;
  const OperatorId neg = graph.intern(kNeg);
  const ClassId leaf = graph.add(graph.intern(kLeaf, 0));
  const ClassId twice = graph.add(neg, {graph.add(neg, {leaf})});
  RuleSet rules;
  rules.add(Rule("twice", node(kNeg, {node(kNeg, {x})})).to(x));
  Saturator saturator(graph, rules);
  graph.push();
  CHECK(saturator.run().rules[0].unions == 1);
  CHECK(saturator.run().rules[0].matched == 0);  // nothing is new
  CHECK(graph.find(twice) == graph.find(leaf));
  const uint64_t changes = graph.change_count();
  graph.pop();
  CHECK(graph.change_count() > changes);
  CHECK(graph.find(twice) != graph.find(leaf));
  CHECK(saturator.run().rules[0].unions == 1);
  CHECK(graph.find(twice) == graph.find(leaf));
  CHECK_THROWS_AS(graph.pop(), std::logic_error);
}

TEST_CASE("runner: what a right-hand side that throws leaves undone is found again") {
  EGraph graph;
  const OperatorId neg = graph.intern(kNeg), add = graph.intern(kAdd);
  const ClassId a = graph.add(graph.intern(kLeaf, 0)), b = graph.add(graph.intern(kLeaf, 1));
  const ClassId minus = graph.add(neg, {a}), sum = graph.add(add, {b, b});
  int throws_left = 1;
  RuleSet rules;
  rules.add(Rule("bomb", node(kNeg, {x})).then([&](EGraph&, const Match& m) -> Outcome {
    if (throws_left-- > 0) throw std::runtime_error("now");
    return m[x];
  }));
  rules.add(Rule("good", node(kAdd, {x, x})).to(x));
  Saturator saturator(graph, rules);
  CHECK_THROWS_AS(saturator.run(), std::runtime_error);
  CHECK(graph.origin() == kNoReason);
  CHECK(saturator.run().stop.stop == Stop::kSaturated);
  CHECK(graph.find(minus) == graph.find(a));
  CHECK(graph.find(sum) == graph.find(b));
}

TEST_CASE("runner: a hook that takes the graph back makes rules start anew") {
  EGraph graph;
  const OperatorId add = graph.intern(kAdd);
  graph.add(add, {graph.add(graph.intern(kLeaf, 0)), graph.add(graph.intern(kLeaf, 1))});
  RuleSet rules;
  rules.add(Rule("comm", node(kAdd, {x, y})).to(exact(add, {y, x})));
  graph.push();
  bool is_done = false;
  RunOptions options;
  options.after_iteration = [&](EGraph& g, uint64_t) {
    if (!is_done) g.pop();
    is_done = true;
    return true;
  };
  run(graph, rules, options);
  CHECK(graph.node_count() == 4);
}

}  // namespace
}  // namespace flipsat::egraph
