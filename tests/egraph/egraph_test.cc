#include "egraph/egraph.h"

#include <algorithm>
#include <stdexcept>

#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

enum : Kind { kLeaf, kF, kG };

struct Terms {
  EGraph graph;
  OperatorId f = graph.intern(kF);
  OperatorId g = graph.intern(kG);
  ClassId leaf(uint32_t name) { return graph.add(graph.intern(kLeaf, name)); }
};

TEST_CASE_METHOD(Terms, "e-graph: the same node is stored once") {
  const ClassId a = leaf(0);
  CHECK(leaf(0) == a);
  CHECK(graph.add(f, {a, a}) == graph.add(f, {a, a}));
  CHECK(graph.node_count() == 2);
  CHECK(graph.add(f, {a}) != graph.add(f, {a, a}));
}

TEST_CASE_METHOD(Terms, "e-graph: congruence closes upwards through several levels") {
  const ClassId a = leaf(0), b = leaf(1);
  const ClassId top_a = graph.add(g, {graph.add(f, {a})});
  const ClassId top_b = graph.add(g, {graph.add(f, {b})});
  CHECK(graph.merge(a, b));
  CHECK_FALSE(graph.merge(b, a));
  CHECK_FALSE(graph.is_rebuilt());
  graph.rebuild();
  CHECK(graph.find(top_a) == graph.find(top_b));
  CHECK(graph.class_count() == 3);
  CHECK(graph.node_count() == 4);  // a, b, f, g: the doubles are gone
  graph.check();
}

TEST_CASE_METHOD(Terms, "e-graph: ids are stable, the younger of two doubles goes stale") {
  const ClassId a = leaf(0), b = leaf(1);
  const NodeId older = graph.add(f, {a});
  const NodeId younger = graph.add(f, {b});
  graph.merge(a, b);
  graph.rebuild();
  CHECK(graph.is_live(older));
  CHECK_FALSE(graph.is_live(younger));
  CHECK(graph.op(younger) == f);
  CHECK(graph.find(younger) == graph.find(older));
  CHECK(graph.node_bound() == 4);
}

TEST_CASE_METHOD(Terms, "e-graph: the older double survives whichever class is renamed") {
  const ClassId a = leaf(0), b = leaf(1);
  const NodeId older = graph.add(f, {a});
  const NodeId younger = graph.add(f, {b});
  graph.add(g, {b});  // now b has more parents, and a is the one renamed
  graph.merge(a, b);
  graph.rebuild();
  CHECK(graph.is_live(older));
  CHECK_FALSE(graph.is_live(younger));
  CHECK(graph.children(older)[0] == graph.find(b));
}

TEST_CASE_METHOD(Terms, "e-graph: a class may contain itself") {
  const ClassId a = leaf(0);
  const ClassId fa = graph.add(f, {a});
  graph.merge(a, fa);
  graph.rebuild();
  CHECK(graph.class_count() == 1);
  CHECK(graph.add(f, {graph.add(f, {a})}) == graph.find(a));
  CHECK(std::ranges::distance(graph.parents(a)) == 1);
}

TEST_CASE_METHOD(Terms, "e-graph: lookup finds without adding") {
  const ClassId a = leaf(0);
  CHECK_FALSE(graph.lookup(f, {a}).has_value());
  const ClassId fa = graph.add(f, {a});
  CHECK(graph.lookup(f, {a}) == fa);
  CHECK(graph.node_count() == 2);
}

TEST_CASE_METHOD(Terms, "e-graph: a parent of one class twice is listed once") {
  const ClassId a = leaf(0), b = leaf(1);
  const NodeId twice = graph.add(f, {a, a});
  const NodeId both = graph.add(g, {a, b});
  CHECK(std::ranges::distance(graph.parents(a)) == 2);
  graph.merge(a, b);
  graph.rebuild();
  CHECK(std::ranges::count(graph.parents(a), twice) == 1);
  CHECK(std::ranges::count(graph.parents(a), both) == 1);
}

TEST_CASE_METHOD(Terms, "e-graph: nodes remember who made them") {
  graph.keep_history();
  const NodeId start = leaf(0);
  graph.set_origin(5);
  const NodeId made = graph.add(f, {start});
  leaf(0);
  graph.set_origin(kNoReason);
  CHECK(graph.born_of(start) == kNoReason);
  CHECK(graph.born_of(made) == 5);
}

TEST_CASE_METHOD(Terms, "e-graph: unions are recorded on request, congruences too") {
  graph.keep_history();
  const ClassId a = leaf(0), b = leaf(1);
  const NodeId fa = graph.add(f, {a}), fb = graph.add(f, {b});
  graph.merge(a, b, 9);
  graph.rebuild();
  REQUIRE(graph.unions().size() == 2);
  CHECK(graph.unions()[0].reason == 9);
  CHECK(graph.unions()[1].reason == kCongruence);
  CHECK(std::minmax(graph.unions()[1].a, graph.unions()[1].b) == std::minmax(fa, fb));
}

TEST_CASE_METHOD(Terms, "e-graph: adding to a class is adding and merging") {
  graph.keep_history();
  graph.set_origin(3);
  const ClassId a = leaf(0), b = leaf(1);
  CHECK(graph.add_to(a, f, std::vector{b}));  // new
  CHECK_FALSE(graph.add_to(a, f, std::vector{b}));
  CHECK(graph.lookup(f, {b}) == a);
  CHECK(graph.class_count() == 2);
  const ClassId other = graph.add(g, {b});
  CHECK(graph.add_to(a, g, std::vector{b}));  // there, in another class
  graph.rebuild();
  CHECK(graph.find(other) == graph.find(a));
  CHECK(std::ranges::distance(graph.nodes(a)) == 3);
  CHECK(graph.unions().size() == 2);
  CHECK(graph.unions()[0].reason == 3);
  graph.check();
}

TEST_CASE_METHOD(Terms, "e-graph: children may be a view of the graph's own") {
  ClassId last = graph.add(f, {leaf(0), leaf(1), leaf(2)});
  for (int i = 0; i < 1000; ++i) {
    const OperatorId op = graph.intern(kG, i);
    last = graph.add(op, graph.children(last));
  }
  CHECK(graph.children(last).size() == 3);
  CHECK(graph.find(graph.children(last)[2]) == leaf(2));
}

TEST_CASE_METHOD(Terms, "e-graph: only what changed is stamped with a later epoch") {
  const ClassId a = leaf(0), b = leaf(1), c = leaf(2);
  const NodeId fa = graph.add(f, {a}), fb = graph.add(f, {b}), fc = graph.add(f, {c});
  const uint32_t before = graph.next_epoch();
  graph.merge(a, b);
  graph.rebuild();
  CHECK(graph.stamp(fc) <= before);
  CHECK(graph.stamp(c) <= before);
  CHECK(std::max(graph.stamp(fa), graph.stamp(fb)) > before);
}

TEST_CASE_METHOD(Terms, "e-graph: the mask of kinds grows with merges") {
  const ClassId a = leaf(0);
  const ClassId fa = graph.add(f, {a});
  CHECK((graph.kinds(a) & EGraph::kind_bit(kF)) == 0);
  graph.merge(a, fa);
  graph.rebuild();
  CHECK((graph.kinds(a) & EGraph::kind_bit(kF)) != 0);
  CHECK((graph.kinds(a) & EGraph::kind_bit(kLeaf)) != 0);
}

TEST_CASE_METHOD(Terms, "e-graph: the invariant check sees queued work") {
  graph.merge(leaf(0), leaf(1));
  CHECK_THROWS_AS(graph.check(), std::logic_error);
  graph.rebuild();
  CHECK_NOTHROW(graph.check());
}

}  // namespace
}  // namespace flipsat::egraph
