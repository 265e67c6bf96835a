#include "tools/vary_runs.h"

#include <utility>

#include "optimizer/optimize.h"

namespace flipsat::tools {
std::vector<VaryRun> run_variation(const Variation& variation, const OptimizedFile& base,
                                   const optimizer::Options& options) {
  const std::vector<bool> surroundings = extract::collective_surroundings(base.input);
  std::vector<VaryRun> runs;
  for (const VaryValue& value : variation.values) {
    optimizer::Options varied = options;
    varied.cost = value.cost;
    varied.headroom = false;
    varied.alternatives = 0;
    varied.greedy_log = nullptr;
    optimizer::Result result = optimizer::optimize(base.input, varied);
    VaryRun& run = runs.emplace_back();
    run.same_program = output_text(base.input, result) == base.after;
    if (!run.same_program) run.differences = differences(base.result.changes, result.changes);
    run.changes = static_cast<int64_t>(result.changes.size());
    run.base = extract::price_program(base.result.output, result.counts, value.cost, surroundings);
    run.input = std::move(result.input_cost);
    run.output = std::move(result.output_cost);
  }
  return runs;
}

}  // namespace flipsat::tools
