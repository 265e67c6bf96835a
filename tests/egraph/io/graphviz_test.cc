#include "egraph/io/graphviz.h"

#include "egraph/io/text.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

struct Drawing {
  ClassId add(std::string_view text) {
    return add_term(graph, read_term(text, "<term>", symbols), symbols);
  }
  std::string draw(const GraphvizOptions& options = {}) {
    graph.rebuild();
    return graphviz(graph, names_of(graph, symbols), options);
  }
  bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  }
  Symbols symbols;
  EGraph graph;
};

TEST_CASE_METHOD(Drawing, "graphviz: classes are boxes, children arrows, edges dashed arrows") {
  const ClassId x = add("x");
  const ClassId sum = add("(+ x 0)");
  graph.merge(x, sum);
  const ClassId wide = add("(f x)");
  graph.add_edge(wide, add("y"));
  CHECK(draw() == R"(digraph egraph {
  compound=true;
  node [shape=box, style=rounded];
  subgraph cluster_0 {
    label="#0";
    n0 [label="x"];
    n2 [label="+"];
  }
  subgraph cluster_1 {
    label="#1";
    n1 [label="0"];
  }
  subgraph cluster_3 {
    label="#3";
    n3 [label="f"];
  }
  subgraph cluster_4 {
    label="#4";
    n4 [label="y"];
  }
  n2 -> n0 [taillabel=0];
  n2 -> n1 [lhead=cluster_1, taillabel=1];
  n3 -> n0 [lhead=cluster_0];
  n3 -> n4 [lhead=cluster_4, style=dashed, ltail=cluster_3];
}
)");
}

TEST_CASE_METHOD(Drawing, "graphviz: names are escaped") {
  graph.add(symbols.intern(graph, symbols.leaf("\"a\\\nb")));
  CHECK(contains(draw(), "n0 [label=\"\\\"a\\\\ b\"];"));
}

TEST_CASE_METHOD(Drawing, "graphviz: what is left out is said, and what roots need comes first") {
  add("(f (g (h x)))");
  const ClassId root = add("(p (q y))");
  const std::string text = draw({2, {root}});
  CHECK(contains(text, "[label=\"p\"]"));
  CHECK(contains(text, "[label=\"q\"]"));
  CHECK_FALSE(contains(text, "[label=\"y\"]"));
  CHECK(contains(text, "-> left_out"));
  CHECK(contains(text, "label=\"left out: 5 nodes, 5 classes\""));
  CHECK(contains(draw({2, {}}), "[label=\"x\"]"));
  CHECK_FALSE(contains(draw({7, {}}), "left_out"));
  CHECK(contains(draw({0, {}}), "left out: 7 nodes, 7 classes"));
}

TEST_CASE_METHOD(Drawing, "graphviz: a class that is cut says how much") {
  const ClassId a = add("a");
  for (const char* other : {"b", "c", "d"}) graph.merge(a, add(other));
  CHECK(contains(draw({3, {}}), "label=\"#0 and 1 more nodes\""));
}

}  // namespace
}  // namespace flipsat::egraph
