#include "egraph/io/serialize.h"

#include "egraph/runner.h"
#include "tests/catch.h"
#include "tests/egraph/workload.h"

namespace flipsat::egraph {
namespace {

std::string error_of(std::string_view json) {
  try {
    to_egraph(read_serialized(json, "f"), "f");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// A file with these members of "nodes".
std::string with_nodes(const std::string& nodes) { return "{\"nodes\": {" + nodes + "}}"; }

std::string node(const std::string& id, const std::string& op, const std::string& children,
                 const std::string& cls, const std::string& more = "") {
  return "\"" + id + "\": {\"op\": \"" + op + "\", \"children\": [" + children +
         "], \"eclass\": \"" + cls + "\"" + more + "}";
}

TEST_CASE("serialize: what is read") {
  const SerializedGraph graph = read_serialized(R"({
    "more": [{"nodes": {"a": [1, {}]}}, null, 1.5],
    "root_eclasses": ["two", "one"],
    "class_data": {"two": {"type": "Real", "let": [1]}, "one": {"type": null}},
    "nodes": {
      "b": {"eclass": "two", "op": "neg", "children": ["a"], "cost": 2.5, "x": {"op": 1}},
      "a": {"op": "x", "eclass": "one", "children": [], "subsumed": true},
      "c": {"op": "y", "eclass": "two"}
    }})",
                                                "f");
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[0] == SerializedGraph::Node{"b", "neg", {1}, 0, 2.5, false});
  CHECK(graph.nodes[1] == SerializedGraph::Node{"a", "x", {}, 1, 1, true});
  CHECK(graph.nodes[2] == SerializedGraph::Node{"c", "y", {}, 0, 1, false});
  CHECK(graph.classes == std::vector<std::string>{"two", "one"});
  CHECK(graph.roots == std::vector<uint32_t>{0, 1});
  CHECK(graph.types == std::map<uint32_t, std::string>{{0, "Real"}});
  CHECK(read_serialized(write_serialized(graph), "again") == graph);
}

TEST_CASE("serialize: names of any kind are written so that they are read again") {
  SerializedGraph graph;
  graph.nodes = {{"\"1\\\n", "\xc3\xa9\t\"", {0}, 0, 0.1, true}};
  graph.classes = {"{}, \xe2\x82\xac"};
  graph.roots = {0};
  CHECK(read_serialized(write_serialized(graph), "f") == graph);
  graph.nodes[0].op = "\xff";  // no UTF-8
  CHECK(read_serialized(write_serialized(graph), "f").nodes[0].op == "\xef\xbf\xbd");
  CHECK(read_serialized(write_serialized({}), "f") == SerializedGraph());
}

TEST_CASE("serialize: what is wrong, and where") {
  CHECK(error_of("").starts_with("f:1:1: error: syntax error"));
  CHECK(error_of("{\"nodes\": {}\n,}").starts_with("f:2:2: error: syntax error"));
  CHECK(error_of("{\"nodes\": {}} x").starts_with("f:1:15: error: syntax error"));
  CHECK(error_of("[]") == "f: error: an object must stand here, with a member \"nodes\"");
  CHECK(error_of("1") == "f: error: an object must stand here, with a member \"nodes\"");
  CHECK(error_of("{}") == "f: error: there is no member \"nodes\"");
  CHECK(error_of("{\"nodes\": []}") == "f: error: \"nodes\" is no object");
  CHECK(error_of("{\"nodes\": {}, \"nodes\": {}}") == "f: error: \"nodes\" is given twice");
  CHECK(error_of("{\"root_eclasses\": {}}") == "f: error: \"root_eclasses\" is no array");
  CHECK(error_of("{\"class_data\": 3}") == "f: error: \"class_data\" is no object");
  CHECK(error_of("{\"root_eclasses\": [1]}") == "f: error: a root is no string");
  CHECK(error_of("{\"root_eclasses\": [\"x\"], \"nodes\": {}}") ==
        "f: error: the root 'x' has no nodes");
  CHECK(error_of("{\"class_data\": {\"x\": {\"type\": \"t\"}}, \"nodes\": {}}") ==
        "f: error: the class with data 'x' has no nodes");
  CHECK(error_of("{\"class_data\": {\"x\": 1}}") ==
        "f: error: the data of class 'x' are no object");
  CHECK(error_of("{\"class_data\": {\"x\": {\"type\": 1}}}") ==
        "f: error: the type of class 'x' is no string");
  CHECK(error_of(with_nodes("\"a\": 1")) == "f: error: node 'a' is no object");
  CHECK(error_of(with_nodes("\"a\": {}")) == "f: error: node 'a': it has no \"op\"");
  CHECK(error_of(with_nodes("\"a\": {\"op\": \"x\"}")) ==
        "f: error: node 'a': it has no \"eclass\"");
  CHECK(error_of(with_nodes("\"a\": {\"op\": []}")) == "f: error: node 'a': \"op\" is no string");
  CHECK(error_of(with_nodes("\"a\": {\"children\": \"x\"}")) ==
        "f: error: node 'a': \"children\" is no array");
  CHECK(error_of(with_nodes("\"a\": {\"cost\": \"1\"}")) ==
        "f: error: node 'a': \"cost\" is no number");
  CHECK(error_of(with_nodes("\"a\": {\"cost\": 1e999}")).find("number overflow") !=
        std::string::npos);
  CHECK(error_of(with_nodes("\"a\": {\"subsumed\": 0}")) ==
        "f: error: node 'a': \"subsumed\" is not true or false");
  CHECK(error_of(with_nodes("\"a\": {\"op\": \"x\", \"op\": \"x\"}")) ==
        "f: error: node 'a': \"op\" is given twice");
  CHECK(error_of(with_nodes(node("a", "x", "", "0") + "," + node("a", "x", "", "0"))) ==
        "f: error: two nodes named 'a'");
  CHECK(error_of(with_nodes(node("a", "x", "\"b\"", "0"))) ==
        "f: error: node 'a': its child 'b' is no node");
  CHECK(error_of(with_nodes(node("a", "x", "7", "0"))) ==
        "f: error: node 'a': a child is no string");
}

TEST_CASE("serialize: deep nesting neither overflows nor crashes") {
  const std::string deep(1'000'000, '[');
  CHECK(error_of(deep) == "f: error: an object must stand here, with a member \"nodes\"");
  CHECK(error_of("{\"more\": " + deep).find("syntax error") != std::string::npos);
  CHECK(error_of("{\"more\": " + deep + std::string(1'000'000, ']') + ", \"nodes\": {}}").empty());
}

TEST_CASE("serialize: circles are closed by merging, and what is in no finite term left out") {
  const SerializedGraph graph = read_serialized(
      with_nodes(node("x1", "*", "\"x\", \"one\"", "X") + "," + node("x", "x", "", "X") + "," +
                 node("one", "1", "", "ONE") + "," + node("loop", "f", "\"loop\"", "L") + "," +
                 node("over", "g", "\"loop\", \"x\"", "O") + "," +
                 node("fine", "h", "\"x1\"", "O")),
      "f");
  ImportedGraph imported = to_egraph(graph, "f");
  imported.graph.check();
  CHECK(imported.left_out == 2);
  CHECK(imported.graph.node_count() == 4);
  CHECK(imported.graph.class_count() == 3);
  const auto cls = [&](const char* name) {
    return imported.classes[std::ranges::find(graph.classes, name) - graph.classes.begin()];
  };
  CHECK(cls("L") == kNoId);
  const OperatorId times = imported.symbols.intern(imported.graph, imported.symbols.find_head("*"));
  CHECK(imported.graph.lookup(times, {cls("X"), cls("ONE")}) == cls("X"));
  CHECK(cls("O") != kNoId);
}

TEST_CASE("serialize: nodes that fall together keep the lower cost") {
  // f(a) and f(b) become one node when a and b are one class; so do their classes.
  const SerializedGraph graph = read_serialized(
      with_nodes(node("a", "a", "", "A", ", \"cost\": 4") + "," +
                 node("b", "b", "", "A", ", \"cost\": 3") + "," +
                 node("fa", "f", "\"a\"", "FA", ", \"cost\": 7, \"subsumed\": true") + "," +
                 node("fb", "f", "\"b\"", "FB", ", \"cost\": 0.5") + "," +
                 node("fc", "f", "\"a\"", "FB", ", \"cost\": 9")),
      "f");
  const ImportedGraph imported = to_egraph(graph, "f");
  CHECK(imported.graph.node_count() == 3);
  CHECK(imported.classes[1] == imported.classes[2]);
  const Extraction best = extract_tree(imported.graph, extraction_costs(imported, "f"));
  const NodeId f = best.node(imported.classes[1]);
  CHECK(imported.costs[f] == 0.5);
  CHECK_FALSE(imported.subsumed[f]);
  CHECK(imported.costs[best.node(imported.classes[0])] == 3);
}

TEST_CASE("serialize: costs in a file are kept in proportion, whole ones as they are") {
  const auto costs_of = [](const std::string& a, const std::string& b, bool subsumed = false) {
    const ImportedGraph imported = to_egraph(
        read_serialized(
            with_nodes(node("a", "a", "", "A", ", \"cost\": " + a) + "," +
                       node("b", "b", "", "B",
                            ", \"cost\": " + b + (subsumed ? ", \"subsumed\": true" : ""))),
            "f"),
        "f");
    const CostFunction cost = extraction_costs(imported, "f");
    return std::pair(cost(0), cost(1));
  };
  CHECK(costs_of("3", "0") == std::pair<Cost, Cost>(3, 0));
  CHECK(costs_of("3", "4", true) == std::pair<Cost, Cost>(3, kUnusable));
  const auto [half, quarter] = costs_of("0.5", "0.25");
  CHECK(half == 2 * quarter);
  const auto [huge, small] = costs_of("1e300", "1");
  CHECK(huge < (Cost{1} << 41));
  CHECK(small == 0);
  CHECK_THROWS_AS(costs_of("-1", "1"), InputError);
}

TEST_CASE("serialize: a saturated e-graph comes back with the same counts and best costs") {
  Workload sum = sum_of_leaves(6);
  run(sum.graph, sum.rules);
  const auto cost = [&](NodeId node) { return sum.cost(node) + node % 5; };
  const SerializedGraph written =
      serialize(sum.graph, names_of(sum.graph, sum.file.symbols), cost, sum.roots);
  const SerializedGraph read = read_serialized(write_serialized(written), "f");
  CHECK(read == written);
  const ImportedGraph imported = to_egraph(read, "f");
  imported.graph.check();
  CHECK(imported.left_out == 0);
  CHECK(imported.graph.node_count() == sum.graph.node_count());
  CHECK(imported.graph.class_count() == sum.graph.class_count());
  REQUIRE(imported.roots.size() == 1);
  const CostFunction same = extraction_costs(imported, "f");
  CHECK(extract_tree(imported.graph, same).dag_cost(imported.graph, imported.roots, same) ==
        extract_tree(sum.graph, cost).dag_cost(sum.graph, sum.roots, cost));
}

}  // namespace
}  // namespace flipsat::egraph
