#include "egraph/scheduler.h"

#include <algorithm>
#include <limits>

namespace flipsat::egraph {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

// value * 2^doublings, staying at the largest number.
uint64_t doubled(uint64_t value, uint64_t doublings) {
  if (value == 0) return 0;
  if (doublings >= 64 || value > (kMax >> doublings)) return kMax;
  return value << doublings;
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options, size_t rules)
    : options_(options), states_(rules) {
  // With no match allowed a rule would never run, however often its limit is doubled.
  options_.match_limit = std::max<uint64_t>(1, options_.match_limit);
}

bool Scheduler::is_banned(size_t rule, uint64_t iteration) const {
  return iteration < states_[rule].banned_until;
}

uint64_t Scheduler::match_limit(size_t rule) const {
  if (options_.policy == SchedulerOptions::Policy::kSimple) return kMax;
  return doubled(options_.match_limit, states_[rule].bans);
}

void Scheduler::ban(size_t rule, uint64_t iteration) {
  State& state = states_[rule];
  const uint64_t length = std::max<uint64_t>(1, doubled(options_.ban_length, state.bans));
  // The iteration under way is lost in any case, so a ban counts from the next one.
  state.banned_until = iteration + 1 + std::min(length, kMax - iteration - 1);
  ++state.bans;
}

bool Scheduler::lift_nearest_bans(uint64_t iteration) {
  uint64_t nearest = kMax;
  for (const State& state : states_) {
    if (state.banned_until > iteration) nearest = std::min(nearest, state.banned_until);
  }
  if (nearest == kMax) return false;
  const uint64_t skipped = nearest - iteration;
  for (State& state : states_) {
    if (state.banned_until > iteration) state.banned_until -= skipped;
  }
  return true;
}

}  // namespace flipsat::egraph
