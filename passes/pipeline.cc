#include "passes/pipeline.h"

#include <algorithm>

#include "hlo/verifier.h"

namespace flipsat::passes {
namespace {

PassReport& report_of(const std::string& name, PipelineReport& report) {
  auto it = std::find_if(report.passes.begin(), report.passes.end(),
                         [&](const PassReport& of_pass) { return of_pass.name == name; });
  if (it != report.passes.end()) return *it;
  report.passes.emplace_back().name = name;
  return report.passes.back();
}

}  // namespace

ContextOptions context_options(const GreedyOptions& options) {
  ContextOptions context_options;
  context_options.numerics = options.numerics;
  context_options.devices = options.devices;
  context_options.log = options.log;
  context_options.uniformity.assume_replicated.insert(options.assume_replicated.begin(),
                                                      options.assume_replicated.end());
  return context_options;
}

PipelineReport run_greedy(hlo::Module& module, const GreedyOptions& options) {
  Context context(module, context_options(options));
  hlo::verify_module(module, context.counts());

  const hlo::Inherit inherit = inheritance(options.mode);
  PipelineReport report;
  std::vector<std::unique_ptr<Pass>> passes;
  for (const std::string& name : options.order) {
    std::unique_ptr<Pass> pass = make_pass(name, options.mode);
    report_of(name, report);
    if (options.disabled.count(name) == 0) passes.push_back(std::move(pass));
  }
  bool again = true;
  while (again && report.sweeps < options.max_sweeps) {
    ++report.sweeps;
    bool swept = false;
    for (const std::unique_ptr<Pass>& pass : passes) {
      swept |= run_pass(*pass, context, inherit, report_of(std::string(pass->name()), report));
    }
    report.changed |= swept;
    again = swept && options.sweeps == Sweeps::kFixPoint;
  }
  report.settled = !again;
  return report;
}

}  // namespace flipsat::passes
