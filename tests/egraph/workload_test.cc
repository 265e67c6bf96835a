// E-graph sizes that do not depend on the engine.
#include "tests/egraph/workload.h"

#include "egraph/runner.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

RunReport saturate(Workload& workload) {
  RunOptions options;
  options.limits.nodes = 5'000'000;
  options.limits.iterations = workload.iterations;
  return run(workload.graph, workload.rules, options);
}

TEST_CASE("workloads: sums of n leaves saturate at the closed form") {
  uint64_t power_of_three = 9;
  for (int n = 3; n <= 8; ++n) {
    power_of_three *= 3;
    CAPTURE(n);
    Workload sum = sum_of_leaves(n);
    CHECK(saturate(sum).stop.stop == Stop::kSaturated);
    CHECK(sum.graph.node_count() == power_of_three - (uint64_t{2} << n) + 1 + n);
    CHECK(sum.graph.class_count() == (uint64_t{1} << n) - 1);
    sum.graph.check();
  }
}

TEST_CASE("workloads: files of known size") {
  struct Known {
    const char* file;
    uint64_t nodes;
    uint64_t classes;
    size_t iterations;
  };
  const Known known[] = {
      {"math-s.wl", 12'597, 4'351, 7},
      {"math-m.wl", 94'451, 35'038, 8},
      {"ac7.wl", 1'939, 127, 7},
      {"ac9.wl", 18'669, 511, 8},
      {"flip-dense-1000.wl", 2'142, 1'541, 7},
      {"flip-dense-10000.wl", 21'521, 15'434, 8},
      {"flip-sparse-1000.wl", 1'223, 1'108, 3},
      {"flip-sparse-10000.wl", 12'401, 11'144, 3},
  };
  for (const Known& size : known) {
    CAPTURE(size.file);
    auto workload = find_workload(size.file);
    if (!workload) continue;
    const RunReport report = saturate(*workload);
    CHECK(workload->graph.node_count() == size.nodes);
    CHECK(workload->graph.class_count() == size.classes);
    CHECK(report.iterations.size() == size.iterations);
    workload->graph.check();
  }
}

}  // namespace
}  // namespace flipsat::egraph
