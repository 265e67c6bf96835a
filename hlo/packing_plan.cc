#include "hlo/packing_plan.h"

#include <algorithm>

#include "hlo/packing_problem.h"

namespace flipsat::hlo {
namespace {

// No packing by the combiner's own keys has fewer launches, whether it can be written or not.
// `packed`: of the problem that can be written, which may be the same.
int64_t bound_of(const PackingProblem& all, const PackingProblem& writable, int64_t packed) {
  const bool is_same = all.items.size() == writable.items.size() &&
                       all.instance.limits.size() == writable.instance.limits.size();
  return all.other_launches + (is_same ? packed : launches_at_least(all.instance));
}

}  // namespace

PackingPlan plan_packing(const Module& module, const CallGraph& calls,
                         const CombinerOptions& options, int64_t work) {
  PackingPlan plan;
  PackingProblems problems(module, calls, options);
  std::vector<PackingProblem> found;
  std::vector<std::pair<ComputationId, size_t>> computations;  // and their problem
  size_t items = 0;
  for (ComputationId computation : module.order) {
    if (calls.is_embedded(computation)) continue;
    PackingProblem problem = problems.writable(computation);
    items += problem.items.size();
    computations.emplace_back(computation, found.size());
    found.push_back(std::move(problem));
  }
  for (const auto& [computation, number] : computations) {
    const PackingProblem& problem = found[number];
    const auto share = static_cast<int64_t>(problem.items.size());
    const Packing packing =
        pack(problem.instance, share == 0 ? 0 : work / static_cast<int64_t>(items) * share);
    const auto walked = static_cast<int64_t>(problems.launches(computation).size());
    const int64_t planned =
        problem.other_launches + static_cast<int64_t>(packing.batches.size());
    plan.walked += walked;
    plan.bound += std::min(
        {walked, planned, bound_of(problems.combinable(computation), problem, packing.bound)});
    plan.planned += std::min(walked, planned);
    if (planned > walked) continue;
    for (const auto& batch : packing.batches) {
      if (batch.size() < 2) continue;
      auto& members = plan.batches.emplace_back();
      for (uint32_t item : batch) members.push_back(problem.items[item]);
    }
  }
  return plan;
}

}  // namespace flipsat::hlo
