#include "extract/extraction.h"

#include <algorithm>

#include "egraph/dag/exact.h"
#include "extract/relaxation.h"
#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

constexpr int kRounds = 3;  // of a relaxation near the best program yet

void take(ProgramState& state, const language::Selection& selection, ClassId classes) {
  for (ClassId cls = 0; cls < classes; ++cls) {
    auto chosen = selection.chosen.find(cls);
    state.choose(cls, chosen == selection.chosen.end() ? egraph::kNoId : chosen->second);
  }
}

}  // namespace

ExtractionResult extract(Problem& problem, ProgramState& state, const SearchOptions& options,
                         const egraph::dag::BranchOptions& proof) {
  SearchResult found = local_search(problem, state, options);
  ExtractionResult result{std::move(found.selection), found.start, found.best, std::nullopt};
  for (int round = 0; round < kRounds; ++round) {
    state.settle();
    const Relaxation relaxation(problem, state, options.given_up);
    if (!relaxation.problem()) break;
    const egraph::dag::Solution optimum = egraph::dag::solve(*relaxation.problem(), proof);
    const int64_t bound = saturating_add(static_cast<int64_t>(optimum.bound), relaxation.fixed());
    result.bound = std::max(result.bound.value_or(0), bound);
    if (result.best.objective <= *result.bound) break;
    // What costs least before launches are counted in full is a good place to start from.
    ProgramState other(problem);
    for (const auto& [cls, node] : relaxation.program_of(optimum.selection)) {
      other.choose(cls, node);
    }
    if (!other.cost()) break;
    SearchResult polished = local_search(problem, other, options);
    if (polished.best >= result.best) break;
    result.selection = std::move(polished.selection);
    result.best = polished.best;
    take(state, result.selection, static_cast<ClassId>(problem.hlo().graph().node_bound()));
  }
  return result;
}

}  // namespace flipsat::extract
