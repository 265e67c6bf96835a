// Schedulers decide which rules are searched in an iteration and how many matches of one are
// worth applying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flipsat::egraph {

struct SchedulerOptions {
  enum class Policy : uint8_t {
    kSimple,   // every rule, every iteration
    kBackoff,  // a rule that finds too much sits out some iterations; its matches are not lost
  };
  Policy policy = Policy::kSimple;
  // Back-off: a rule with more than `match_limit` matches in one search is banned for `ban_length`
  // iterations; both double with each ban.
  uint64_t match_limit = 1000;  // at least 1
  uint64_t ban_length = 5;
};

class Scheduler {
 public:
  Scheduler(const SchedulerOptions& options, size_t rules);

  bool is_banned(size_t rule, uint64_t iteration) const;
  // A search that finds more is broken off and reported to `ban`.
  uint64_t match_limit(size_t rule) const;
  void ban(size_t rule, uint64_t iteration);
  uint64_t times_banned(size_t rule) const { return states_[rule].bans; }

  // Called when an iteration changed nothing although rules were left out: lifts the bans that end
  // first. Says whether there were any that had not ended yet.
  bool lift_nearest_bans(uint64_t iteration);

 private:
  struct State {
    uint64_t bans = 0;
    uint64_t banned_until = 0;
  };
  SchedulerOptions options_;
  std::vector<State> states_;
};

}  // namespace flipsat::egraph
