// A line below the time of a launch: what makes the cost of groups additive, and so a bound.
#pragma once

#include <optional>

#include "extract/group_span.h"

namespace flipsat::extract {

// fixed + slope * bytes, never more than the launch time of any size within the range asked for.
struct LaunchLine {
  Picoseconds fixed = 0;
  int64_t slope = 0;                        // picoseconds a byte, in units of 2^-32
  Picoseconds moving(int64_t bytes) const;  // slope * bytes, rounded down
};

// The line that comes nearest to a launch of `at` bytes, from <= at <= to. Nullopt where two
// launches may take less time than one of the bytes of both: then none would bound a group.
std::optional<LaunchLine> launch_line(const Machine& machine, hlo::Opcode opcode,
                                      const std::vector<GroupSpan>& spans, int64_t from, int64_t to,
                                      int64_t at);

// Lines one of which, at each size within the range, is not above the launch time: one for each
// stretch along which a further byte takes the more, the more there are. Where it takes the less,
// one line would lose much. Empty where `launch_line` has none.
std::vector<LaunchLine> launch_lines(const Machine& machine, hlo::Opcode opcode,
                                     const std::vector<GroupSpan>& spans, int64_t from, int64_t to,
                                     int64_t at);

// What each further byte takes at least: a launch of b bytes or more takes no less than
// time(b) - slack + slope * (bytes - b), for every b within the range.
struct LaunchSlope {
  int64_t slope = 0;  // as above
  Picoseconds slack = 0;
  Picoseconds moving(int64_t bytes) const;
};

LaunchSlope launch_slope(const Machine& machine, hlo::Opcode opcode,
                         const std::vector<GroupSpan>& spans, int64_t from, int64_t to);

}  // namespace flipsat::extract
