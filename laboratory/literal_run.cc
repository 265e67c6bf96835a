#include "laboratory/literal_run.h"

#include "optimizer/partitioned.h"
#include "passes/errors.h"
#include "passes/pipeline.h"

namespace flipsat::laboratory {

LiteralRun run_literal(const hlo::Module& module, const optimizer::Options& options) {
  passes::GreedyOptions greedy;
  greedy.mode = passes::Mode::kLiteral;
  greedy.devices = options.devices;
  greedy.disabled = optimizer::passes_without(options);
  if (!optimizer::why_untouchable(module).empty()) greedy.order.clear();
  const hlo::DeviceCounts counts = hlo::infer_device_counts(module, options.devices);
  hlo::Module program = module;
  LiteralRun run;
  run.correctness = {Correct::kYes, ""};
  try {
    const bool changed = passes::run_greedy(program, greedy).changed;
    if (changed) run.correctness = check(module, program, counts, options);
  } catch (const passes::IllFormedModule& error) {
    run.correctness = {Correct::kNo, error.what()};
    return run;
  } catch (const passes::FatalError& error) {
    run.correctness = {Correct::kNo, error.what()};
    return run;
  }
  run.cost = extract::price_program(program, counts, options.cost,
                                    extract::collective_surroundings(module));
  return run;
}

}  // namespace flipsat::laboratory
