#include "extract/extraction.h"

#include <algorithm>

#include "egraph/dag/exact.h"
#include "extract/bound/relaxation.h"
#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

constexpr int kRounds = 5;  // of a relaxation near the best program yet
// But for what rounding to whole picoseconds makes of each launch, a gap of less is none.
constexpr int64_t kRounding = 100'000;
// Of so many instructions a program that is so near the bound is good enough.
constexpr size_t kLarge = 10'000;
constexpr int64_t kNear = 1000;

void take(ProgramState& state, const language::Selection& selection, ClassId classes) {
  for (ClassId cls = 0; cls < classes; ++cls) {
    auto chosen = selection.chosen.find(cls);
    state.choose(cls, chosen == selection.chosen.end() ? egraph::kNoId : chosen->second);
  }
}

std::vector<std::vector<Unit>> launches_of(const Problem& problem, ProgramState& state) {
  state.settle();
  std::vector<std::vector<Unit>> launches;
  for (hlo::ComputationId region : problem.import().regions) {
    const auto& batches = state.live_batches(region);
    launches.insert(launches.end(), batches.begin(), batches.end());
  }
  return launches;
}

bool is_within(const ExtractionResult& result, int64_t part) {
  return result.best.objective - *result.bound <= result.best.objective / part;
}

}  // namespace

ExtractionResult extract(Problem& problem, ProgramState& state, const SearchOptions& options,
                         const egraph::dag::BranchOptions& proof) {
  SearchResult found = local_search(problem, state, options);
  ExtractionResult result{std::move(found.selection), found.start, found.best, std::nullopt};
  const bool is_large = problem.input().instructions.size() > kLarge;
  LaunchBoundOptions bounds;
  for (int round = 0; round < kRounds; ++round) {
    state.settle();
    bounds.with_parts = round > 0 || is_large;
    const Relaxation relaxation(problem, state, options.given_up, bounds);
    if (!relaxation.problem()) break;
    const egraph::dag::Solution optimum = egraph::dag::solve(*relaxation.problem(), proof);
    const int64_t bound = saturating_add(static_cast<int64_t>(optimum.bound), relaxation.fixed());
    const bool is_raised = bound > result.bound.value_or(-1);
    result.bound = std::max(result.bound.value_or(0), bound);
    if (result.best.objective <= *result.bound) break;
    // What costs least before launches are counted in full is a good place to start from.
    ProgramState other(problem);
    for (const auto& [cls, node] : relaxation.program_of(optimum.selection)) {
      other.choose(cls, node);
    }
    const std::optional<StateCost> there = other.cost();
    if (!there || (is_within(result, kRounding) && *there >= result.best)) break;
    bounds.other = launches_of(problem, other);
    for (const std::vector<Unit>& launch : bounds.other) {
      bounds.kept.insert(launch.begin(), launch.end());
    }
    SearchResult polished = local_search(problem, other, options);
    if (polished.best < result.best) {
      result.selection = std::move(polished.selection);
      result.best = polished.best;
      take(state, result.selection, static_cast<ClassId>(problem.hlo().graph().node_bound()));
    } else if (round > 1 && !is_raised) {
      break;
    }
    if (is_large && is_within(result, kNear)) break;
  }
  return result;
}

}  // namespace flipsat::extract
