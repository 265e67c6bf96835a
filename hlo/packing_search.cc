#include "hlo/packing_search.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "hlo/packing_states.h"

namespace flipsat::hlo {
namespace {

using State = PackingStates::State;

// Sets of one key that one expansion tries at most, where not all that is ready fits a launch.
constexpr size_t kBeamChoices = 4;
constexpr size_t kProofChoices = 4096;

}  // namespace

std::optional<Launches> beam_search(const PackingGraph& graph, int64_t below, int64_t work) {
  constexpr size_t kWidest = 512;
  PackingStates states(graph);
  std::vector<State> level{states.start()}, next;
  if (states.is_done(states.start())) return Launches{};
  for (int64_t launched = 0; !level.empty(); ++launched) {
    next.clear();
    const int64_t before = states.work();
    const size_t expanded = level.size();
    for (State state : level) states.expand(state, kBeamChoices, next);
    const auto rank = [&](State state) {
      return std::tuple(states.estimate(state), states.burden(state), state);
    };
    std::sort(next.begin(), next.end(), [&](State a, State b) { return rank(a) < rank(b); });
    for (State state : next) {
      if (states.is_done(state)) return states.path(state);
    }
    std::erase_if(next, [&](State state) { return states.estimate(state) >= below; });
    if (next.empty()) return std::nullopt;
    // What is left of the work is shared out over the levels that are still to come.
    const int64_t levels = std::max<int64_t>(states.estimate(next.front()) - launched, 1);
    const int64_t each =
        std::max<int64_t>((states.work() - before) / static_cast<int64_t>(expanded), 1);
    const int64_t width = (work - states.work()) / levels / each;
    next.resize(std::min(next.size(), static_cast<size_t>(std::clamp<int64_t>(
                                          width, 1, static_cast<int64_t>(kWidest)))));
    level.swap(next);
  }
  return std::nullopt;
}

ProofSearch proof_search(const PackingGraph& graph, int64_t below, int64_t work) {
  PackingStates states(graph);
  ProofSearch result;
  result.bound = below;
  // Of equal estimates the one that has come farthest first.
  using Entry = std::tuple<int64_t, int64_t, State>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const auto push = [&](State state) {
    if (states.estimate(state) >= below) return;
    open.emplace(states.estimate(state), -states.launched(state), state);
  };
  push(states.start());
  std::vector<State> next;
  while (!open.empty()) {
    const auto [estimate, launched, state] = open.top();
    // Where not all choices were tried, nothing above that estimate is proved.
    if (estimate >= result.bound) return result;
    if (states.work() > work) {
      result.bound = estimate;
      return result;
    }
    open.pop();
    if (-launched != states.launched(state)) continue;  // reached with fewer launches since
    if (states.is_done(state)) {
      result.bound = estimate;
      result.found = states.path(state);
      return result;
    }
    next.clear();
    if (!states.expand(state, kProofChoices, next)) result.bound = estimate;
    for (State made : next) push(made);
  }
  return result;
}

}  // namespace flipsat::hlo
