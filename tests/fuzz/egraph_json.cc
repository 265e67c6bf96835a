// Fuzz target of the reader of egraph-serialize JSON: any bytes are read or refused; what was read
// is written so that it reads the same, becomes a sound e-graph, and can be extracted from.
#include "egraph/io/serialize.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flipsat;
  using namespace flipsat::egraph;
  try {
    const SerializedGraph graph =
        read_serialized({reinterpret_cast<const char*>(data), size}, "fuzz");
    fuzz::require(read_serialized(write_serialized(graph), "written") == graph,
                  "a written graph is another");
    const ImportedGraph imported = to_egraph(graph, "fuzz");
    imported.graph.check();
    const CostFunction cost = extraction_costs(imported, "fuzz");
    extract_tree(imported.graph, cost);
    extract_greedy_dag(imported.graph, imported.roots, cost);
  } catch (const InputError&) {
  }
  return 0;
}
