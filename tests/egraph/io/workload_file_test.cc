#include <stdexcept>

#include "egraph/io/workload.h"
#include "egraph/runner.h"
#include "tests/catch.h"
#include "tests/egraph/workload.h"

namespace flipsat::egraph {
namespace {

const std::string kDemo = R"(workload demo
iters 10
nodes 100000
op + 2 3
op zero 0 5
leafcost 2
rule comm : (+ ?a ?b) => (+ ?b ?a)
rule drop : (+ ?a zero) => ?a
n x
n zero
n + 1 0
root 2
root 0
)";

std::string error_of(const std::string& text) {
  try {
    read_workload(text, "w");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("workload files: what is read") {
  const WorkloadFile file = read_workload(kDemo, "w");
  const Symbols& symbols = file.symbols;
  CHECK(file.name == "demo");
  CHECK(file.iterations == 10);
  CHECK(file.nodes == 100'000);
  CHECK(file.rules.size() == 2);
  CHECK(file.start == std::vector<SymbolId>{symbols.find_leaf("x"), symbols.find_leaf("zero"),
                                            symbols.find_head("+")});
  CHECK(file.children == std::vector<uint32_t>{1, 0});
  CHECK(file.roots == std::vector<uint32_t>{2, 0});
  const std::vector<Cost> costs = file.cost_of_symbols();
  CHECK(costs[symbols.find_head("+")] == 3);
  CHECK(costs[symbols.find_leaf("zero")] == 5);
  CHECK(costs[symbols.find_leaf("x")] == 2);
}

TEST_CASE("workload files: loading and running are apart") {
  const WorkloadFile file = read_workload(kDemo, "w");
  EGraph graph;
  const LoadedNodes loaded = load(file, graph);
  CHECK(graph.node_count() == 3);
  CHECK(loaded.roots == std::vector<ClassId>{loaded.nodes[2], loaded.nodes[0]});
  run(graph, make_rules(file.rules, file.symbols, graph));
  CHECK(graph.find(loaded.nodes[0]) == graph.find(loaded.nodes[2]));

  EGraph part;
  const LoadedNodes first = load(file, part, 2);
  CHECK(part.node_count() == 2);
  CHECK(first.nodes.size() == 2);
  CHECK(first.roots == std::vector<ClassId>{first.nodes[0]});
}

TEST_CASE("workload files: written as they were read") {
  CHECK(write_workload(read_workload(kDemo, "w")) == kDemo);
  const char* strange =
      "  n a#b \r\n# comment\n;n z\n\n op (f) 1 7\nop f 1 1\n\tn (f) 0\n"
      "rule a:: (f a,b) => (f\n(f ?x,))  ; comment\n";
  CHECK(error_of(strange) == "w:9:4: error: '?x,' does not stand on the left");
  const char* fine =
      "n a#b\nop (f) 1 7\nop f 1 1\nn (f) 0\nrule a:: (f a,b) <=> (f\n b) # x\n"
      "rule b : (f (=>)) => (,x)\n";
  const std::string written = write_workload(read_workload(fine, "w"));
  CHECK(write_workload(read_workload(written, "w")) == written);
  CHECK(read_workload(written, "w").rules[1].name == "a:-rev");
  CHECK(write_workload(read_workload("", "w")) == "leafcost 1\n");
}

TEST_CASE("workload files: names that cannot be written are refused") {
  WorkloadFile file;
  file.name = "two words";
  CHECK_THROWS_AS(write_workload(file), std::invalid_argument);
  file.name = "";
  file.first_child = {0, 0};
  file.start = {file.symbols.leaf("a b")};
  CHECK_THROWS_AS(write_workload(file), std::invalid_argument);
}

TEST_CASE("workload files: what is wrong, and where") {
  CHECK(error_of("\nfoo 1") == "w:2:1: error: there is no item 'foo'");
  CHECK(error_of("n x\nn + 0 0") == "w:2:3: error: there is no operator '+'");
  CHECK(error_of("op + 2 1\nn x\nn + 0") ==
        "w:3:3: error: '+' is declared with 2 children, here it has 1");
  CHECK(error_of("op + 2 1\nn +") ==
        "w:2:3: error: '+' is declared with 2 children, here it has 0");
  CHECK(error_of("op f 1 1\nn f 0") == "w:2:5: error: there is no start node 0 above");
  CHECK(error_of("op f 1 1\nn x\nn f  -1") == "w:3:6: error: '-1' is not a number");
  CHECK(error_of("n x\nroot 1") == "w:2:6: error: there is no start node 1 above");
  CHECK(error_of("n x\nroot") == "w:2:5: error: a number must stand here");
  CHECK(error_of("n") == "w:1:2: error: a name must stand here");
  CHECK(error_of("iters 18446744073709551616") ==
        "w:1:7: error: '18446744073709551616' is too large");
  CHECK(error_of("iters 18446744073709551615").empty());
  CHECK(error_of("iters 1 2") == "w:1:9: error: the line must end here");
  CHECK(error_of("op f 1") == "w:1:7: error: a number must stand here");
  CHECK(error_of("op f 40000 1") == "w:1:6: error: more than 32,767 children");
  CHECK(error_of("op f 1 1\nop f 1 1") == "w:2:4: error: 'f' is declared or used before");
  CHECK(error_of("n f\nop f 1 1") == "w:2:4: error: 'f' is declared or used before");
  CHECK(error_of("op f 1 1\nrule a : (g ?x) => ?x") == "w:2:10: error: there is no operator 'g'");
  CHECK(error_of("op f 1 1\nrule a : (f ?x ?x) => ?x") ==
        "w:2:10: error: 'f' has 1 child, here it has 2 children");
  CHECK(error_of("op f 1 1\nrule a : (f ?x) => ?y") ==
        "w:2:20: error: '?y' does not stand on the left");
}

TEST_CASE("workload files: known files are written byte for byte") {
  for (const char* name : {"math-s.wl", "ac9.wl", "flip-dense-1000.wl"}) {
    const auto workload = find_workload(name);
    if (!workload) continue;
    const std::string text = write_workload(workload->file);
    CHECK(text.starts_with("workload " + workload->file.name + "\niters "));
    CHECK(write_workload(read_workload(text, name)) == text);
  }
}

}  // namespace
}  // namespace flipsat::egraph
