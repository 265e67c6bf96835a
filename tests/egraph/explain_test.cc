// Explanations: made for random saturations and by hand, replayed by the checker; broken ones are
// refused.
#include "egraph/explain.h"

#include <random>
#include <stdexcept>

#include "egraph/runner.h"
#include "tests/catch.h"
#include "tests/egraph/reference/random_case.h"
#include "tests/egraph/workload.h"

namespace flipsat::egraph {
namespace {

enum : Kind { kLeaf, kAdd, kNeg, kPair, kSum };
const ClassVar x{"x"}, y{"y"}, z{"z"};
const OpVar f{"f"};

struct Explaining {
  Explaining() { graph.keep_history(); }

  EGraph graph;
  RuleSet rules;
  OperatorId add = graph.intern(kAdd);
  OperatorId neg = graph.intern(kNeg);

  ClassId leaf(uint32_t name) { return graph.add(graph.intern(kLeaf, name)); }
  Explanation why(NodeId a, NodeId b) {
    graph.rebuild();
    Explanation explanation = Explainer(graph, rules).explain(a, b);
    const Checked checked = check_explanation(explanation, rules, graph);
    INFO(checked.what);
    CHECK(checked.is_right);
    return explanation;
  }
  // The kinds of steps along the chain, 'r', 'c' or 'g'.
  static std::string steps(const Explanation& explanation) {
    std::string letters;
    for (const ExplanationLink& link : explanation.chain()) {
      letters += "rcg"[static_cast<int>(explanation.steps[link.index].kind)];
    }
    return letters;
  }
};

TEST_CASE_METHOD(Explaining, "explain: a merge by the client is given") {
  const ClassId a = leaf(0), b = leaf(1);
  graph.merge(a, b, 7);
  const Explanation explanation = why(a, b);
  REQUIRE(steps(explanation) == "g");
  CHECK(explanation.steps[explanation.chain()[0].index].reason == 7);
}

TEST_CASE_METHOD(Explaining, "explain: equal children make equal nodes") {
  const ClassId a = leaf(0), b = leaf(1);
  const NodeId fa = graph.add(neg, {a}), fb = graph.add(neg, {b});
  graph.merge(a, b);
  CHECK(steps(why(fa, fb)) == "c");
  CHECK(steps(why(fa, fa)).empty());
}

TEST_CASE_METHOD(Explaining, "explain: a rule leads from its left side to its right side") {
  rules.add(Rule("comm", node(kAdd, {x, y})).to(exact(add, {y, x})));
  rules.add(Rule("twice", node(kNeg, {node(kNeg, {x})})).to(x));
  const ClassId a = leaf(0), b = leaf(1);
  const NodeId sum = graph.add(add, {graph.add(neg, {graph.add(neg, {a})}), b});
  const NodeId wanted = graph.add(add, {b, a});
  CHECK(graph.find(sum) != graph.find(wanted));
  run(graph, rules);
  const Explanation explanation = why(sum, wanted);
  CHECK(steps(explanation).find('r') != std::string::npos);
  CHECK(steps(explanation).find('c') != std::string::npos);
  CHECK(steps(explanation).size() <= 3);
}

TEST_CASE_METHOD(Explaining, "explain: a rule whose right side is code begins at what matched") {
  rules.add(Rule("double", node(kNeg, {node(kNeg, {x})})).then([](EGraph&, const Match& match) {
    return Outcome(match[x]);
  }));
  const ClassId a = leaf(0), c = leaf(1);
  graph.merge(a, graph.add(neg, {c}), 7);
  const NodeId top = graph.add(neg, {a});  // as it was written it is no double
  run(graph, rules);
  const Explanation explanation = why(top, c);
  REQUIRE(steps(explanation) == "cg");
  const ExplanationStep& step = explanation.steps[explanation.chain()[1].index];
  CHECK(step.reason == 0);
  const TermId inner = explanation.terms.children(step.from)[0];
  CHECK(explanation.terms.op(inner) == neg);
}

TEST_CASE_METHOD(Explaining, "explain: terms are found by what they are made of") {
  rules.add(Rule("twice", node(kNeg, {node(kNeg, {x})})).to(x));
  const ClassId a = leaf(0);
  graph.add(neg, {graph.add(neg, {a})});
  run(graph, rules);
  TermPool terms;
  const TermId leaf_term = terms.add(graph.intern(kLeaf, 0));
  TermId tower = leaf_term;
  for (int i = 0; i < 8; ++i) tower = terms.add(neg, std::vector{tower});
  const Explanation explanation = Explainer(graph, rules).explain(terms, tower, leaf_term);
  const Checked checked = check_explanation(explanation, rules, graph);
  CHECK(checked.what == "");
  CHECK(explanation.terms.op(explanation.proofs[0].from) == neg);
  const TermId other = terms.add(graph.intern(kLeaf, 9));
  CHECK_THROWS_AS(Explainer(graph, rules).explain(terms, tower, other), std::invalid_argument);
}

TEST_CASE_METHOD(Explaining, "explain: several patterns, named classes and named nodes") {
  const OperatorId pair = graph.intern(kPair);
  rules.add(Rule("join", node(kNeg, f, {node(kNeg, {x}).as(y)}))
                .also(node(kAdd, {y, z}))
                .to(exact(add, {same(f, {y}), z})));
  rules.add(Rule("use", node(kPair, {x, y})).to(exact(pair, {y, x})));
  const ClassId a = leaf(0), b = leaf(1), c = leaf(2);
  const NodeId inner = graph.add(neg, {a});
  const NodeId outer = graph.add(graph.intern(kNeg, 4), {inner});
  const NodeId sum = graph.add(add, {c, b});
  graph.merge(c, inner);
  RunOptions options;
  options.limits.iterations = 1;
  run(graph, rules, options);
  const auto made = graph.lookup(add, {outer, b});
  REQUIRE(made);
  CHECK(*made == graph.find(outer));
  for (const NodeId other : graph.nodes(outer))
    CHECK(!steps(why(outer, other)).empty() == (other != outer));
  (void)sum;
}

TEST_CASE_METHOD(Explaining, "explain: children of an unordered kind may change places") {
  EGraph bag;
  bag.declare_unordered(kSum);
  bag.keep_history();
  const OperatorId sum = bag.intern(kSum);
  const auto leaf_of = [&](uint32_t name) { return bag.add(bag.intern(kLeaf, name)); };
  const ClassId a = leaf_of(0), b = leaf_of(1), c = leaf_of(2), d = leaf_of(3);
  const NodeId one = bag.add(sum, {a, b, c}), other = bag.add(sum, {b, d, b});
  bag.merge(a, b);
  bag.merge(c, d);
  bag.rebuild();
  REQUIRE(bag.find(one) == bag.find(other));
  const Explanation explanation = Explainer(bag, rules).explain(one, other);
  CHECK(check_explanation(explanation, rules, bag).what == "");
}

TEST_CASE_METHOD(Explaining, "explain: what is not equal, or not kept, is refused") {
  const ClassId a = leaf(0), b = leaf(1);
  CHECK_THROWS_AS(Explainer(graph, rules).explain(a, b), std::logic_error);
  EGraph silent;
  CHECK_THROWS_AS(Explainer(silent, rules), std::logic_error);
  graph.merge(a, b);
  CHECK_THROWS_AS(Explainer(graph, rules), std::logic_error);  // not rebuilt
  graph.keep_history();                                        // again: nothing new
  silent.add(silent.intern(kLeaf));
  CHECK_THROWS_AS(silent.keep_history(), std::logic_error);  // too late
}

TEST_CASE_METHOD(Explaining, "explain: other rules than those of the run are refused") {
  rules.add(Rule("twice", node(kNeg, {node(kNeg, {x})})).to(x));
  const ClassId a = leaf(0);
  const NodeId twice = graph.add(neg, {graph.add(neg, {a})});
  run(graph, rules);
  CHECK(steps(why(twice, a)) == "r");
  const RuleSet none;
  CHECK_THROWS_AS(Explainer(graph, none).explain(twice, a), std::logic_error);
  RuleSet larger;
  larger.add(Rule("large", node(kAdd, {node(kAdd, {x, y}), node(kAdd, {z, x})}))
                 .to(exact(add, {exact(add, {x, y}), exact(add, {exact(add, {z, z}), x})})));
  CHECK_THROWS_AS(Explainer(graph, larger).explain(twice, a), std::logic_error);
}

// All pairs that stand side by side in a class.
void check_all(const EGraph& graph, const RuleSet& rules, size_t most, bool all_pairs = false) {
  Explainer explainer(graph, rules);
  size_t made = 0;
  for (NodeId node = 0; node < graph.node_bound() && made < most; ++node) {
    const NodeId name = graph.find(node);
    if (name == node) continue;
    for (const NodeId other : all_pairs ? std::vector<NodeId>{name, node / 2} : std::vector{name}) {
      if (graph.find(other) != name) continue;
      const Explanation explanation = explainer.explain(node, other);
      const Checked checked = check_explanation(explanation, rules, graph);
      INFO("nodes " << node << " and " << other);
      REQUIRE(checked.what == "");
      REQUIRE(checked.is_right);
      ++made;
    }
  }
}

// Loads and runs a workload with history kept.
void check_workload(const WorkloadFile& file, uint64_t iterations, size_t most, bool all_pairs) {
  EGraph graph;
  graph.keep_history();
  load(file, graph);
  const RuleSet rules = make_rules(file.rules, file.symbols, graph);
  RunOptions options;
  options.limits.iterations = iterations;
  run(graph, rules, options);
  check_all(graph, rules, most, all_pairs);
}

TEST_CASE("explain: everything that sums of leaves make equal") {
  for (const int leaves : {3, 4, 5}) check_workload(sum_of_leaves(leaves).file, 40, 2000, true);
}

TEST_CASE("explain: what workloads make equal") {
  for (const char* name : {"math-s.wl", "flip-dense-1000.wl"}) {
    const auto workload = find_workload(name);
    if (workload) check_workload(workload->file, 6, 600, false);
  }
}

TEST_CASE("explain: random graphs, rules, merges and data") {
  for (const uint32_t seed : reference::random_seeds(90'000, 500)) {
    CAPTURE(seed);
    reference::Random random(seed);
    reference::Twins twins(reference::random_mode(random));
    twins.engine.keep_history();
    reference::grow(twins, random, {4, 4 + random.below(20), random.below(6), 0});
    twins.rebuild();
    const auto shapes = reference::random_rules(random, twins, 2 + random.below(3), {});
    RuleSet rules;
    for (uint32_t i = 0; i < shapes.size(); ++i) {
      rules.add(reference::engine_rule(shapes[i], i, nullptr));
    }
    RunOptions options;
    options.limits.iterations = 4;
    options.limits.nodes = 300;
    run(twins.engine, rules, options);
    check_all(twins.engine, rules, 200, true);
  }
}

TEST_CASE("explain: broken explanations are refused") {
  Explaining e;
  e.rules.add(Rule("comm", node(kAdd, {x, y})).to(exact(e.add, {y, x})));
  e.rules.add(Rule("twice", node(kNeg, {node(kNeg, {x})})).to(x));
  const ClassId a = e.leaf(0), b = e.leaf(1);
  const NodeId sum = e.graph.add(e.add, {e.graph.add(e.neg, {e.graph.add(e.neg, {a})}), b});
  const NodeId wanted = e.graph.add(e.add, {b, a});
  run(e.graph, e.rules);
  const Explanation good = e.why(sum, wanted);
  const auto is_refused = [&](const Explanation& broken) {
    return !check_explanation(broken, e.rules, e.graph).is_right;
  };
  int broken_ones = 0;
  for (uint32_t i = 0; i < good.steps.size(); ++i) {
    const auto break_step = [&](auto&& change) {
      Explanation broken = good;
      change(broken.steps[i]);
      CHECK(is_refused(broken));
      ++broken_ones;
    };
    break_step([](ExplanationStep& step) { std::swap(step.from, step.to); });
    break_step([&](ExplanationStep& step) { step.to = good.terms.size(); });
    break_step([&](ExplanationStep& step) {
      step.to = (step.to + 1) % good.terms.size();  // another term
    });
    if (good.steps[i].kind == ExplanationStep::Kind::kRule) {
      break_step([](ExplanationStep& step) { step.reason ^= 1; });  // the other rule
      break_step([](ExplanationStep& step) { step.reason = 99; });
      break_step([](ExplanationStep& step) { step.classes.clear(); });
      break_step([&](ExplanationStep& step) {
        step.classes[0].second = (step.classes[0].second + 1) % good.terms.size();
      });
    } else {
      break_step([](ExplanationStep& step) { step.children.clear(); });
      break_step([](ExplanationStep& step) { step.children.push_back(step.children.back()); });
      break_step([](ExplanationStep& step) { step.children[0].proof.is_reversed ^= true; });
      break_step([](ExplanationStep& step) { step.children[0].proof = {0, false}; });
    }
  }
  for (uint32_t i = 0; i < good.proofs.size(); ++i) {
    if (good.proofs[i].links.empty()) continue;
    Explanation broken = good;
    broken.proofs[i].links.pop_back();
    CHECK(is_refused(broken));
    broken = good;
    broken.proofs[i].links.front().is_reversed ^= true;
    CHECK(is_refused(broken));
    broken = good;
    broken.proofs[i].links = {{i, false, true}};  // rests on itself
    CHECK(is_refused(broken));
    ++broken_ones;
  }
  CHECK(broken_ones > 10);
  CHECK(is_refused(Explanation()));
}

}  // namespace
}  // namespace flipsat::egraph
