#include "egraph/extract.h"

#include <random>
#include <stdexcept>

#include "egraph/runner.h"
#include "egraph/wide_cost.h"
#include "tests/catch.h"
#include "tests/egraph/workload.h"

namespace flipsat::egraph {
namespace {

// A node of kind k costs its payload.
struct Extracting {
  EGraph graph;
  ClassId make(uint32_t cost, std::vector<ClassId> children = {}) {
    return graph.add(graph.intern(next_kind_++, cost), children);
  }
  ClassId either(ClassId a, ClassId b) {
    graph.merge(a, b);
    graph.rebuild();
    return graph.find(a);
  }
  CostFunction cost = [this](NodeId node) { return Cost{graph.payload(node)}; };
  Cost tree(ClassId root) {
    graph.rebuild();
    return extract_tree(graph, cost).dag_cost(graph, std::vector{root}, cost);
  }
  Cost dag(std::vector<ClassId> roots) {
    graph.rebuild();
    return extract_greedy_dag(graph, roots, cost).dag_cost(graph, roots, cost);
  }
  Kind next_kind_ = 0;
};

TEST_CASE_METHOD(Extracting, "extract: takes the cheaper node of a class") {
  const ClassId leaf = make(1);
  const ClassId root = either(make(10, {leaf}), make(3, {leaf, leaf}));
  CHECK(tree(root) == 4);
  CHECK(graph.payload(extract_tree(graph, cost).node(root)) == 3);
}

TEST_CASE_METHOD(Extracting, "extract: a node above itself is not chosen, even for nothing") {
  const ClassId leaf = make(50);
  const ClassId root = either(leaf, make(0, {leaf}));
  CHECK(tree(root) == 50);
  CHECK(dag({root}) == 50);
}

TEST_CASE_METHOD(Extracting, "extract: unusable nodes are left out, and a class may be lost") {
  const ClassId leaf = make(5);
  const ClassId lost = make(0), above = make(1, {lost});
  const ClassId root = either(make(0, {above}), make(9, {leaf}));
  graph.rebuild();
  const auto no_lost = [&](NodeId node) { return node == lost ? kUnusable : cost(node); };
  for (const Extraction& found :
       {extract_tree(graph, no_lost), extract_greedy_dag(graph, std::vector{root}, no_lost)}) {
    CHECK(found.dag_cost(graph, std::vector{root}, cost) == 14);
    CHECK_FALSE(found.has(above));
    CHECK(found.node(above) == kNoId);
    CHECK_THROWS_AS(found.nodes(graph, std::vector{above}), std::logic_error);
  }
}

TEST_CASE_METHOD(Extracting, "extract: nodes come children first, each once") {
  const ClassId leaf = make(1), mid = make(1, {leaf, leaf});
  const ClassId root = make(1, {mid, leaf, mid});
  graph.rebuild();
  CHECK(extract_tree(graph, cost).nodes(graph, std::vector{root, mid}) ==
        std::vector<NodeId>{leaf, mid, root});
}

// Two users of one dear thing: each alone would rather have its own.
TEST_CASE_METHOD(Extracting, "greedy-dag: shares what tree extraction buys twice") {
  const ClassId shared = make(10);
  const ClassId left = either(make(1, {shared}), make(1, {make(8)}));
  const ClassId right = either(make(1, {shared}), make(1, {make(8)}));
  const ClassId root = make(0, {left, right});
  CHECK(tree(root) == 18);
  CHECK(dag({root}) == 12);
}

TEST_CASE_METHOD(Extracting, "greedy-dag: what one root needs anyway is free for another") {
  const ClassId shared = make(10);
  const ClassId needs_it = make(1, {shared});
  const ClassId other = either(make(1, {shared}), make(1, {make(2)}));
  CHECK(dag({other}) == 3);
  CHECK(dag({other, needs_it}) == 12);
}

TEST_CASE_METHOD(Extracting, "extract: follows edges one way only") {
  const ClassId dear = make(20), cheap = make(1);
  const ClassId root = make(0, {dear}), back = make(0, {cheap});
  graph.add_edge(dear, cheap);
  CHECK(tree(root) == 1);
  CHECK(tree(back) == 1);
  CHECK(dag({root}) == 1);
  const Extraction found = extract_tree(graph, cost);
  CHECK(found.resolve(dear) == cheap);
  CHECK(found.node(dear) == cheap);
  ExtractOptions no_edges;
  no_edges.follow_edges = false;
  CHECK(extract_tree(graph, cost, no_edges).node(dear) == dear);
}

TEST_CASE_METHOD(Extracting, "extract: edges in a circle keep a node that ends it") {
  const ClassId a = make(5), b = make(7);
  graph.add_edge(a, b);
  graph.add_edge(b, a);
  CHECK(tree(b) == 5);
  CHECK(dag({b}) == 5);
}

TEST_CASE_METHOD(Extracting, "extract: deep shared graphs do not overflow, choices stay choices") {
  // Each level uses the one below twice: the tree cost of the top is 2^50000.
  const ClassId leaf = make(1);
  const OperatorId good = graph.intern(1000, 2), bad = graph.intern(1001, 3);
  ClassId top = leaf;
  for (int level = 0; level < 50'000; ++level) {
    const ClassId cheap = graph.add(good, {top, top});
    graph.merge(cheap, graph.add(bad, {top, top, top}));
    top = cheap;
  }
  CHECK(tree(top) == 1 + 50'000 * 2);
  CHECK(dag({top}) == 1 + 50'000 * 2);
}

TEST_CASE_METHOD(Extracting, "extract: costs that do not fit stay at the largest number") {
  const auto huge = [](NodeId) { return kUnusable - 1; };
  const ClassId root = make(0, {make(0), make(0)});
  graph.rebuild();
  CHECK(extract_tree(graph, huge).dag_cost(graph, std::vector{root}, huge) == kUnusable);
  const std::vector<ClassId> roots{root};
  CHECK(extract_greedy_dag(graph, roots, huge).has(root));
}

TEST_CASE_METHOD(Extracting, "exact: a root that cannot be had is an error") {
  const ClassId root = make(1);
  graph.rebuild();
  const auto nothing = [](NodeId) { return kUnusable; };
  CHECK_THROWS_AS(extract_exact(graph, std::vector{root}, nothing), std::logic_error);
  CHECK_THROWS_AS(extract_local(graph, std::vector{root}, nothing), std::logic_error);
  CHECK(extract_exact(graph, {}, nothing).is_optimal());
}

TEST_CASE("extract: each method is no dearer than the one before, on random cyclic graphs") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    EGraph graph;
    std::vector<ClassId> classes;
    for (uint32_t i = 0; i < 80; ++i) {
      std::vector<ClassId> children;
      for (uint32_t c = i < 5 ? 0 : random() % 4; c > 0; --c) {
        children.push_back(classes[random() % classes.size()]);
      }
      classes.push_back(graph.add(graph.intern(i % 7, random() % 30), children));
    }
    for (int i = 0; i < 15; ++i) graph.merge(classes[random() % 80], classes[random() % 80]);
    for (int i = 0; i < 5; ++i) graph.add_edge(classes[random() % 80], classes[random() % 80]);
    graph.rebuild();
    const auto cost = [&](NodeId node) { return Cost{graph.payload(node)}; };
    const std::vector<ClassId> roots = {classes[79], classes[78], classes[60]};
    const Cost tree = extract_tree(graph, cost).dag_cost(graph, roots, cost);
    const Cost dag = extract_greedy_dag(graph, roots, cost).dag_cost(graph, roots, cost);
    CHECK(dag <= tree);
    const BoundedExtraction exact = extract_exact(graph, roots, cost);
    CHECK(exact.is_optimal());
    CHECK(exact.cost <= dag);
    CHECK(exact.extraction.dag_cost(graph, roots, cost) == exact.cost);
    SearchOptions little;
    little.most_work = 10'000;
    const Cost local = extract_local(graph, roots, cost, little).dag_cost(graph, roots, cost);
    CHECK(local <= dag);
    CHECK(local >= exact.bound);
  }
}

TEST_CASE("wide cost: adds exactly while small, and orders what no double holds") {
  WideCost a(1);
  a += WideCost(2);
  CHECK(a == WideCost(3));
  WideCost big(1);
  for (int i = 0; i < 5000; ++i) big += WideCost(big);  // 2^5000
  WideCost bigger = big;
  bigger += big;
  CHECK(big < bigger);
  CHECK(WideCost(UINT64_MAX) < big);
  WideCost same = big;
  same += WideCost(1);
  CHECK_FALSE(same < big);
}

}  // namespace
}  // namespace flipsat::egraph
