#include "egraph/edges.h"

#include "egraph/egraph.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

enum : Kind { kLeaf, kF };

struct Leaves {
  EGraph graph;
  ClassId leaf(uint32_t name) { return graph.add(graph.intern(kLeaf, name)); }
};

TEST_CASE_METHOD(Leaves, "edges: are told from their reverse and not added twice") {
  const ClassId a = leaf(0), b = leaf(1);
  CHECK(graph.add_edge(a, b, 3));
  CHECK_FALSE(graph.add_edge(a, b, 4));
  CHECK_FALSE(graph.add_edge(a, a));
  graph.rebuild();
  REQUIRE(graph.edges(a).size() == 1);
  CHECK(graph.edges(a)[0].to == b);
  CHECK(graph.edges(a)[0].reason == 3);
  CHECK(graph.edges(b).empty());
}

TEST_CASE_METHOD(Leaves, "edges: survive merges of both ends, as one where they fall together") {
  const ClassId a = leaf(0), b = leaf(1), c = leaf(2), d = leaf(3);
  graph.add_edge(a, c, 1);
  graph.add_edge(b, d, 2);
  graph.merge(a, b);
  graph.merge(c, d);
  graph.rebuild();
  REQUIRE(graph.edges(b).size() == 1);
  CHECK(graph.edges(b)[0].to == graph.find(c));
  CHECK(graph.edges(b)[0].reason == 1);  // the older of the two
  CHECK_FALSE(graph.add_edge(b, c));
  graph.check();
}

TEST_CASE_METHOD(Leaves, "edges: vanish when their ends become equal") {
  const ClassId a = leaf(0), b = leaf(1);
  graph.add_edge(a, b);
  graph.merge(a, b);
  graph.rebuild();
  CHECK(graph.edges(a).empty());
}

// Two values that may both be replaced by a third are not equal, and neither are their parents.
TEST_CASE_METHOD(Leaves, "edges: take no part in congruence") {
  const ClassId narrow = leaf(0), other = leaf(1), wide = leaf(2);
  const OperatorId f = graph.intern(kF);
  const ClassId above = graph.add(f, {narrow}), beside = graph.add(f, {other});
  graph.add_edge(narrow, wide);
  graph.add_edge(other, wide);
  graph.rebuild();
  CHECK(graph.find(narrow) != graph.find(other));
  CHECK(graph.find(above) != graph.find(beside));
  CHECK(graph.edges(narrow).size() == 1);
}

TEST_CASE("edges: of two that become one the older stays, however often they were sorted") {
  EGraph graph;
  const ClassId a = graph.add(graph.intern(0, 0)), b = graph.add(graph.intern(0, 1)),
                c = graph.add(graph.intern(0, 2));
  graph.add_edge(b, c, 1);
  graph.rebuild();
  graph.add_edge(a, c, 2);
  graph.rebuild();
  graph.merge(a, b);
  graph.rebuild();
  REQUIRE(graph.edges(a).size() == 1);
  CHECK(graph.edges(a)[0].reason == 1);
}

}  // namespace
}  // namespace flipsat::egraph
