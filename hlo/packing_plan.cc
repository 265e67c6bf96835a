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

struct Answer {
  PackingProblem problem;
  Packing packing;
  int64_t launches() const {
    return problem.other_launches + static_cast<int64_t>(packing.batches.size());
  }
};

Answer answer(PackingProblem problem, int64_t work) {
  Packing packing = pack(problem.instance, work);
  return {std::move(problem), std::move(packing)};
}

}  // namespace

PackingPlan plan_packing(const Module& module, const CallGraph& calls,
                         const CombinerOptions& options, int64_t work) {
  PackingPlan plan;
  PackingProblems problems(module, calls, options);
  std::vector<PackingProblem> found;
  std::vector<ComputationId> computations;
  int64_t items = 0;
  for (ComputationId computation : module.order) {
    if (calls.is_embedded(computation)) continue;
    computations.push_back(computation);
    found.push_back(problems.writable(computation));
    items += static_cast<int64_t>(found.back().items.size());
  }
  for (size_t i = 0; i < computations.size(); ++i) {
    const ComputationId computation = computations[i];
    const auto walked = static_cast<int64_t>(problems.launches(computation).size());
    plan.walked += walked;
    const int64_t share =
        work / std::max<int64_t>(items, 1) * static_cast<int64_t>(found[i].items.size());
    const std::set<uint32_t> mixed = found[i].mixed;
    Answer best = answer(std::move(found[i]), share);
    const int64_t bound =
        bound_of(problems.combinable(computation), best.problem, best.packing.bound);
    // What the compiler can combine and we cannot write is best left to it, unless more is gained.
    if (!mixed.empty()) {
      Answer unmixed = answer(problems.writable(computation, mixed), share);
      if (unmixed.launches() <= best.launches()) best = std::move(unmixed);
    }
    plan.bound += std::min({walked, best.launches(), bound});
    plan.planned += std::min(walked, best.launches());
    if (best.launches() > walked) continue;
    for (const auto& batch : best.packing.batches) {
      if (batch.size() < 2) continue;
      auto& members = plan.batches.emplace_back();
      for (uint32_t item : batch) members.push_back(best.problem.items[item]);
    }
  }
  return plan;
}

}  // namespace flipsat::hlo
