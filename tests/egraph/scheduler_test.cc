#include "egraph/scheduler.h"

#include <cstdint>

#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

SchedulerOptions backoff() {
  SchedulerOptions options;
  options.policy = SchedulerOptions::Policy::kBackoff;
  options.match_limit = 10;
  options.ban_length = 3;
  return options;
}

TEST_CASE("scheduler: back-off doubles limit and length with each ban") {
  Scheduler scheduler(backoff(), 2);
  CHECK(scheduler.match_limit(0) == 10);
  scheduler.ban(0, 5);
  CHECK(scheduler.match_limit(0) == 20);
  CHECK(scheduler.match_limit(1) == 10);
  CHECK(scheduler.is_banned(0, 6));
  CHECK(scheduler.is_banned(0, 8));
  CHECK_FALSE(scheduler.is_banned(0, 9));
  scheduler.ban(0, 9);
  CHECK(scheduler.is_banned(0, 15));
  CHECK_FALSE(scheduler.is_banned(0, 16));
}

TEST_CASE("scheduler: many bans do not overflow the limit") {
  Scheduler scheduler(backoff(), 1);
  for (int i = 0; i < 100; ++i) scheduler.ban(0, 0);
  CHECK(scheduler.match_limit(0) == UINT64_MAX);
}

TEST_CASE("scheduler: lifting the nearest bans keeps the order of the others") {
  Scheduler scheduler(backoff(), 2);
  scheduler.ban(0, 0);  // to 4
  scheduler.ban(1, 2);  // to 6
  CHECK(scheduler.lift_nearest_bans(3));
  CHECK_FALSE(scheduler.is_banned(0, 3));
  CHECK(scheduler.is_banned(1, 4));
  CHECK_FALSE(scheduler.is_banned(1, 5));
  CHECK(scheduler.lift_nearest_bans(3));
  CHECK_FALSE(scheduler.lift_nearest_bans(3));
}

TEST_CASE("scheduler: the simple one has no limit") {
  CHECK(Scheduler({}, 1).match_limit(0) == UINT64_MAX);
}

}  // namespace
}  // namespace flipsat::egraph
