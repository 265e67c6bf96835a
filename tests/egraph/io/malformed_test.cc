// Every beginning of a good input, and every change of one of its bytes, is read or refused with an
// InputError; nothing else is thrown and nothing crashes.
#include "egraph/io/serialize.h"
#include "egraph/io/workload.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

template <class Read>
void try_all_changes(const std::string& good, Read&& read) {
  REQUIRE_NOTHROW(read(good));
  size_t refused = 0;
  const auto attempt = [&](const std::string& text) {
    CAPTURE(text);
    try {
      read(text);
    } catch (const InputError&) {
      ++refused;
    } catch (const std::exception& error) {
      FAIL(error.what());
    }
  };
  for (size_t end = 0; end < good.size(); ++end) attempt(good.substr(0, end));
  for (size_t at = 0; at < good.size(); ++at) {
    for (const char c :
         {'(', ')', '"', '?', ',', ' ', '\n', '9', '-', '[', '}', ';', '\0', '\xff'}) {
      std::string text = good;
      text[at] = c;
      attempt(text);
    }
  }
  CHECK(refused > good.size());
}

TEST_CASE("malformed: rules") {
  try_all_changes("a: (f ?x 1), (g ?x) => (h ?x) ; c\nb: (k\n?y) <=> ?y\n",
                  [](const std::string& text) {
                    Symbols symbols;
                    EGraph graph;
                    make_rules(read_rules(text, "f", symbols), symbols, graph);
                  });
}

TEST_CASE("malformed: workloads") {
  try_all_changes(
      "workload w\niters 3\nop + 2 1\nleafcost 2\nrule c : (+ ?a ?b) => (+ ?b ?a)\n"
      "n x\nn y\nn + 0 1\nroot 2\n",
      [](const std::string& text) {
        const WorkloadFile file = read_workload(text, "f");
        EGraph graph;
        load(file, graph);
        CHECK_NOTHROW(read_workload(write_workload(file), "again"));
      });
}

TEST_CASE("malformed: egraph-serialize") {
  try_all_changes(
      R"({"nodes": {"a": {"op": "x", "children": [], "eclass": "0", "cost": 1.5},
          "b": {"op": "f", "children": ["a", "b"], "eclass": "0", "subsumed": false}},
          "root_eclasses": ["0"], "class_data": {"0": {"type": "T"}}})",
      [](const std::string& text) {
        const SerializedGraph graph = read_serialized(text, "f");
        to_egraph(graph, "f").graph.check();
        CHECK(read_serialized(write_serialized(graph), "again") == graph);
      });
}

}  // namespace
}  // namespace flipsat::egraph
