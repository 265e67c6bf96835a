#include "egraph/search.h"

#include <algorithm>
#include <stdexcept>

#include "egraph/runner.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

enum : Kind { kLeaf, kAdd, kNeg, kTuple };
const ClassVar x{"x"}, y{"y"}, z{"z"};
const OpVar f{"f"}, g{"g"};

struct Searching {
  EGraph graph;
  OperatorId add = graph.intern(kAdd);
  OperatorId neg = graph.intern(kNeg);
  std::vector<Refusal> refusals;

  ClassId leaf(uint32_t name) { return graph.add(graph.intern(kLeaf, name)); }

  static Rule no_op(Pattern pattern) {
    Rule rule("rule", std::move(pattern));
    rule.then([](EGraph&, const Match&) { return Outcome::nothing(); });
    return rule;
  }
  // Rows of all matches, or of those newer than `since`, sorted.
  std::vector<std::vector<uint32_t>> rows(const Rule& rule, uint32_t since = 0) {
    graph.rebuild();
    RuleSet rules;
    rules.add(rule);
    Search search(graph, rules);
    std::vector<RuleMatches> matches(1);
    Budget budget{Limits{}};
    const uint32_t which[] = {0};
    search.run(which, since, budget, matches);
    refusals = matches[0].refusals;
    std::vector<std::vector<uint32_t>> rows;
    const GrowArray<uint32_t>& flat = matches[0].rows;
    for (const uint32_t* row = flat.begin(); row != flat.end(); row += search.rule(0).width) {
      rows.emplace_back(row, row + search.rule(0).width);
    }
    std::ranges::sort(rows);
    return rows;
  }
  using Rows = std::vector<std::vector<uint32_t>>;
};

TEST_CASE_METHOD(Searching, "search: binds classes by variable and nodes by name") {
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId sum = graph.add(add, {a, b});
  const ClassId top = graph.add(neg, {sum});
  CHECK(rows(no_op(node(kNeg, f, {node(kAdd, g, {x, y})}))) == Rows{{top, a, b, top, sum}});
}

TEST_CASE_METHOD(Searching, "search: a node matches only with the same number of children") {
  const ClassId a = leaf(0);
  graph.add(add, {a});
  graph.add(add, {a, a, a});
  CHECK(rows(no_op(node(kAdd, {x, y}))).empty());
  CHECK(rows(no_op(node(kAdd, {x}))).size() == 1);
  CHECK(rows(no_op(any_node(kAdd, f))).size() == 2);
}

TEST_CASE_METHOD(Searching, "search: the same variable twice is the same class") {
  const ClassId a = leaf(0), b = leaf(1), c = leaf(2);
  const ClassId aa = graph.add(add, {a, a});
  const ClassId bc = graph.add(add, {b, c});
  CHECK(rows(no_op(node(kAdd, {x, x}))) == Rows{{aa, a}});
  const uint32_t before = graph.next_epoch();
  graph.merge(b, c);
  CHECK(rows(no_op(node(kAdd, {x, x})), before) == Rows{{bc, graph.find(b)}});
}

TEST_CASE_METHOD(Searching, "search: kinds match any payload, exact operators one") {
  const ClassId a = leaf(0);
  const OperatorId neg7 = graph.intern(kNeg, 7);
  graph.add(neg, {a});
  const ClassId seven = graph.add(neg7, {a});
  CHECK(rows(no_op(node(kNeg, {x}))).size() == 2);
  CHECK(rows(no_op(exact(neg7, {x}))) == Rows{{seven, a}});
}

TEST_CASE_METHOD(Searching, "search: ground terms are looked up, and noticed when they merge") {
  const ClassId a = leaf(0), b = leaf(1), zero = leaf(2);
  const ClassId sum = graph.add(add, {a, b});
  const Rule rule = no_op(node(kAdd, {x, exact(graph.intern(kLeaf, 2))}));
  CHECK(rows(rule).empty());
  const uint32_t before = graph.next_epoch();
  graph.merge(b, zero);
  CHECK(rows(rule, before) == Rows{{sum, a}});
}

TEST_CASE_METHOD(Searching, "search: all nodes of an inner class are tried") {
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId left = graph.add(add, {a, b}), right = graph.add(add, {b, a});
  graph.add(neg, {left});
  graph.merge(left, right);
  CHECK(rows(no_op(node(kNeg, {node(kAdd, {x, y})}))).size() == 2);
}

TEST_CASE_METHOD(Searching, "search: `as` names an inner class") {
  const ClassId a = leaf(0);
  const ClassId inner = graph.add(neg, {a});
  const ClassId outer = graph.add(neg, {inner});
  CHECK(rows(no_op(node(kNeg, {node(kNeg, {x}).as(y)}))) == Rows{{outer, inner, a}});
}

TEST_CASE_METHOD(Searching, "search: `as` with a variable below finds a class inside itself") {
  const ClassId a = leaf(0);
  const ClassId above = graph.add(neg, {a});
  graph.add(neg, {leaf(1)});
  CHECK(rows(no_op(node(kNeg, {x}).as(x))).empty());
  graph.merge(a, above);
  CHECK(rows(no_op(node(kNeg, {x}).as(x))).size() == 1);
}

TEST_CASE_METHOD(Searching, "search: several patterns are joined on what they share") {
  const ClassId a = leaf(0), b = leaf(1), c = leaf(2);
  const ClassId na = graph.add(neg, {a});
  graph.add(neg, {b});
  const ClassId sum = graph.add(add, {a, c});
  Rule rule = no_op(node(kNeg, {x}));
  rule.also(node(kAdd, g, {x, y}));
  CHECK(rows(rule) == Rows{{na, a, c, sum}});
}

TEST_CASE_METHOD(Searching, "search: two patterns may be about one class") {
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId sum = graph.add(add, {a, b}), minus = graph.add(neg, {a});
  Rule rule = no_op(node(kNeg, {x}).as(z));
  rule.also(node(kAdd, {x, y}).as(z));
  CHECK(rows(rule).empty());
  graph.merge(sum, minus);
  CHECK(rows(rule).size() == 1);
}

TEST_CASE_METHOD(Searching,
                 "search: a new match is found once, however many of its nodes are new") {
  const Rule rule = no_op(node(kNeg, {node(kNeg, {node(kNeg, {x})})}));
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId old_top = graph.add(neg, {graph.add(neg, {graph.add(neg, {a})})});
  CHECK(rows(rule) == Rows{{old_top, a}});
  uint32_t before = graph.next_epoch();
  CHECK(rows(rule, before).empty());
  const ClassId lowest = graph.add(neg, {b}), middle = graph.add(neg, {lowest});
  CHECK(rows(rule, before).empty());
  const ClassId top = graph.add(neg, {middle});  // all three are new
  CHECK(rows(rule, before) == Rows{{top, b}});
  before = graph.next_epoch();
  const ClassId above = graph.add(neg, {top});  // the root alone is new
  CHECK(rows(rule, before) == Rows{{above, lowest}});
}

TEST_CASE_METHOD(Searching, "search: a match is new when its lowest node alone is") {
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId middle = graph.add(neg, {b}), top = graph.add(neg, {middle});
  const Rule rule = no_op(node(kNeg, {node(kNeg, {node(kNeg, {x})})}));
  CHECK(rows(rule).empty());
  const uint32_t before = graph.next_epoch();
  graph.merge(b, graph.add(neg, {a}));
  CHECK(rows(rule, before) == Rows{{top, a}});
}

TEST_CASE_METHOD(Searching, "search: a lone variable matches every class") {
  const ClassId a = leaf(0);
  graph.add(neg, {a});
  CHECK(rows(no_op(x)).size() == 2);
  const uint32_t before = graph.next_epoch();
  const ClassId b = leaf(1);
  CHECK(rows(no_op(x), before) == Rows{{b, b}});
}

TEST_CASE_METHOD(Searching, "search: a matcher in code goes on from a match") {
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId tuple = graph.add(graph.intern(kTuple), {a, b});
  Rule rule = no_op(any_node(kTuple, f));
  rule.follow({x}, [](const Match& m, const Rule::Found& found) {
    for (const ClassId child : m.children(f)) found(std::vector<ClassId>{child});
  });
  CHECK(rows(rule) == Rows{{tuple, a, tuple}, {tuple, b, tuple}});
}

TEST_CASE_METHOD(Searching, "search: a refused match is no row but a reason") {
  const ClassId a = leaf(0);
  const ClassId even = graph.add(graph.intern(kNeg, 4), {a});
  const ClassId odd = graph.add(graph.intern(kNeg, 5), {a});
  Rule rule = no_op(node(kNeg, f, {x}));
  rule.where([](const Match& m) {
    return m.payload(f) % 2 == 0 ? accept() : refuse("the payload is odd");
  });
  CHECK(rows(rule) == Rows{{even, a, even}});
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].root == odd);
  CHECK(refusals[0].reason == std::string("the payload is odd"));
}

TEST_CASE_METHOD(Searching, "search: an early guard is asked before the rest is matched") {
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId sum = graph.add(add, {a, b});
  const ClassId even = graph.add(graph.intern(kNeg, 4), {sum});
  const ClassId odd = graph.add(graph.intern(kNeg, 5), {sum});
  for (uint32_t i = 2; i < 9; ++i) graph.merge(sum, graph.add(add, {leaf(i), a}));
  Rule rule = no_op(node(kNeg, f, {node(kAdd, {x, y})}));
  int asked = 0;
  rule.where({f}, [&asked](const Match& m) {
    ++asked;
    return m.payload(f) % 2 == 0 ? accept() : refuse("the payload is odd");
  });
  CHECK(rows(rule).size() == 8);
  CHECK(rows(rule)[0][0] == graph.find(even));
  CHECK(asked == 4);  // twice for each root, not for each sum below it
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].root == odd);
}

TEST_CASE_METHOD(Searching, "search: a rule that an early guard refuses leaves others be") {
  const ClassId sum = graph.add(add, {leaf(0), leaf(1)});
  graph.add(neg, {sum});
  RuleSet rules;
  for (const char* name : {"never", "always"}) {
    Rule rule(name, node(kNeg, f, {node(kAdd, {x, y})}));
    if (name[0] == 'n') rule.where({f}, [](const Match&) { return refuse("never"); });
    rules.add(rule.then([](EGraph&, const Match&) { return Outcome::nothing(); }));
  }
  const RunReport report = run(graph, rules);
  CHECK(report.rules[0].applied == 0);
  CHECK(report.rules[0].refused.at("never") == 1);
  CHECK(report.rules[1].applied == 1);
}

TEST_CASE_METHOD(Searching, "search: stops at its limit of matches and says so") {
  for (uint32_t i = 0; i < 10; ++i) graph.add(neg, {leaf(i)});
  graph.rebuild();
  const Rule rule = no_op(node(kNeg, {x}));
  RuleSet rules;
  rules.add(rule);
  Search search(graph, rules);
  std::vector<RuleMatches> matches(1);
  Budget budget{Limits{}};
  const uint32_t which[] = {0};
  matches[0].limit = 9;
  CHECK(search.run(which, 0, budget, matches));  // the rule alone is broken off
  CHECK_FALSE(matches[0].is_complete);
  matches[0].limit = 10;
  search.run(which, 0, budget, matches);
  CHECK(matches[0].is_complete);
}

TEST_CASE_METHOD(Searching, "search: senseless patterns are refused when compiled") {
  const auto compile = [&](const Rule& rule) { CompiledRule(rule, graph); };
  Rule unlinked = no_op(node(kNeg, {x}));
  unlinked.also(node(kNeg, {y}));
  CHECK_THROWS_AS(compile(unlinked), std::logic_error);
  CHECK_THROWS_AS(compile(no_op(node(kNeg, f, {node(kNeg, f, {x})}))), std::logic_error);
  CHECK_THROWS_AS(compile(no_op(same(f, {x}))), std::logic_error);
  CHECK_THROWS_AS(compile(no_op(node(kNeg, {Pattern(x).as(y)}))), std::logic_error);
  graph.declare_unordered(kTuple);
  CHECK_THROWS_AS(compile(no_op(node(kTuple, {x, y}))), std::logic_error);
  CHECK_NOTHROW(compile(no_op(any_node(kTuple, f))));
  Rule unbound("rule", node(kNeg, {x}));
  unbound.to(y);
  CHECK_THROWS_AS(compile(unbound), std::logic_error);
}

}  // namespace
}  // namespace flipsat::egraph
