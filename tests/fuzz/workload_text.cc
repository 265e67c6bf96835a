// Fuzz target of the reader of workloads: any bytes are read or refused; what was read is written
// so that it reads the same, and can be loaded and run.
#include "egraph/io/workload.h"

#include "egraph/runner.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flipsat;
  using namespace flipsat::egraph;
  WorkloadFile workload;
  try {
    workload = read_workload({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const InputError&) {
    return 0;
  }
  const std::string written = write_workload(workload);
  fuzz::require(write_workload(read_workload(written, "written")) == written,
                "a written workload is another");
  EGraph graph;
  load(workload, graph);
  RunOptions options;
  options.limits.iterations = 2;
  options.limits.nodes = 2000;
  run(graph, make_rules(workload.rules, workload.symbols, graph), options);
  graph.check();
  return 0;
}
