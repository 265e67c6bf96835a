#include "extract/bound/launch_line.h"

#include <algorithm>
#include <limits>
#include <span>

#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

constexpr int kFraction = 32;      // bits of a slope
constexpr Picoseconds kSlack = 4;  // roundings on a node, between breakpoints
constexpr int64_t kPicosecondsPerSecond = 1'000'000'000'000;
constexpr size_t kMostLines = 4;

// How far a launch time may lie above the line between breakpoints that it follows: a node's share
// is a whole number of bytes, which may cross the network twice.
Picoseconds slack(const Machine& machine, const std::vector<GroupSpan>& spans) {
  const bool is_on_node =
      std::ranges::all_of(spans, [](const GroupSpan& s) { return s.nodes == 1; });
  if (is_on_node) return kSlack;
  return kSlack + 2 * (kPicosecondsPerSecond / machine.off_node.bytes_per_second + 1);
}

// Sizes at which the line that a launch time follows may change.
std::vector<int64_t> breakpoints(const Machine& machine, hlo::Opcode opcode, int64_t from,
                                 int64_t to) {
  std::vector<int64_t> sizes{from, to, machine.mesh_bytes, machine.doubling_bytes};
  const hlo::Opcode stages[] = {opcode, hlo::Opcode::kReduceScatter, hlo::Opcode::kAllGather};
  for (const Curve& curve : machine.curves) {
    if (std::ranges::find(stages, curve.opcode) == std::end(stages)) continue;
    for (const CurvePoint& point : curve.points) sizes.push_back(point.bytes);
  }
  std::erase_if(sizes, [&](int64_t size) { return size < from || size > to; });
  std::ranges::sort(sizes);
  const auto twice = std::ranges::unique(sizes);
  sizes.erase(twice.begin(), twice.end());
  return sizes;
}

// Does a byte take the less, the more there are, up to so many? Then no two launches take less time
// than one of the bytes of both.
bool is_subadditive(const Machine& machine, hlo::Opcode opcode, const std::vector<GroupSpan>& spans,
                    int64_t to) {
  const std::vector<int64_t> sizes = breakpoints(machine, opcode, 1, to);
  for (size_t i = 1; i < sizes.size(); ++i) {
    const Picoseconds before = launch_time_over(machine, opcode, sizes[i - 1], spans);
    const Picoseconds after = launch_time_over(machine, opcode, sizes[i], spans);
    if (static_cast<Wide>(before + slack(machine, spans)) * static_cast<Wide>(sizes[i]) <
        static_cast<Wide>(after) * static_cast<Wide>(sizes[i - 1])) {
      return false;
    }
  }
  return true;
}

Wide rise(const CurvePoint& a, const CurvePoint& b) { return static_cast<Wide>(b.time - a.time); }
Wide run(const CurvePoint& a, const CurvePoint& b) { return static_cast<Wide>(b.bytes - a.bytes); }

// Launch times at the sizes where they may turn, and `slack` below them between.
std::optional<std::vector<CurvePoint>> turning_points(const Machine& machine, hlo::Opcode opcode,
                                                      const std::vector<GroupSpan>& spans,
                                                      int64_t from, int64_t to) {
  std::vector<CurvePoint> points;
  for (int64_t size : breakpoints(machine, opcode, from, to)) {
    points.push_back({size, launch_time_over(machine, opcode, size, spans)});
    if (points.back().time >= kSaturated / 4) return std::nullopt;
  }
  return points;
}

// Below all points, and as near as can be to where `at` lies.
LaunchLine line_below(std::span<const CurvePoint> points, int64_t at, Picoseconds slack) {
  // The edge of the lower hull above which `at` lies.
  std::vector<CurvePoint> hull;
  for (const CurvePoint& point : points) {
    while (hull.size() >= 2) {
      const CurvePoint &a = hull[hull.size() - 2], &b = hull.back();
      if (rise(a, b) * run(a, point) < rise(a, point) * run(a, b)) break;
      hull.pop_back();
    }
    hull.push_back(point);
  }
  LaunchLine line{hull[0].time, 0};
  size_t end = 1;
  while (end + 1 < hull.size() && hull[end].bytes < at) ++end;
  if (end < hull.size()) {
    const CurvePoint &a = hull[end - 1], &b = hull[end];
    line.slope = saturating_narrow((rise(a, b) << kFraction) / run(a, b));
    // Through the end nearer to zero; a slope rounded down stays below to the right of it.
    line.fixed = a.time - line.moving(a.bytes);
    // To the left, a hull's later edges lie above its earlier ones: lower it to fit.
    for (const CurvePoint& point : points) {
      line.fixed = std::min(line.fixed, point.time - line.moving(point.bytes) - 1);
    }
  }
  line.fixed -= slack;
  if (line.fixed >= 0) return line;
  line.fixed = 0;
  for (const CurvePoint& point : points) {
    const Wide time = static_cast<Wide>(std::max<Picoseconds>(point.time - slack, 0));
    if (point.bytes == 0) continue;
    line.slope = std::min(line.slope,
                          saturating_narrow((time << kFraction) / static_cast<Wide>(point.bytes)));
  }
  return line;
}

}  // namespace

Picoseconds LaunchLine::moving(int64_t bytes) const {
  return saturating_narrow((static_cast<Wide>(slope) * static_cast<Wide>(bytes)) >> kFraction);
}

std::optional<LaunchLine> launch_line(const Machine& machine, hlo::Opcode opcode,
                                      const std::vector<GroupSpan>& spans, int64_t from, int64_t to,
                                      int64_t at) {
  opcode = hlo::synchronous(opcode);
  if (!is_subadditive(machine, opcode, spans, to)) return std::nullopt;
  std::optional<LaunchLine> best;
  // The slowest group decides; a line below one of them is below that.
  const size_t groups = std::max<size_t>(spans.size(), 1);
  for (size_t group = 0; group < groups; ++group) {
    const auto span = spans.empty() ? spans : std::vector<GroupSpan>{spans[group]};
    const auto points = turning_points(machine, opcode, span, from, to);
    if (!points) return std::nullopt;
    const LaunchLine line = line_below(*points, at, slack(machine, spans));
    if (line.fixed + line.moving(at) > (best ? best->fixed + best->moving(at) : -1)) best = line;
  }
  return best;
}

std::vector<LaunchLine> launch_lines(const Machine& machine, hlo::Opcode opcode,
                                     const std::vector<GroupSpan>& spans, int64_t from, int64_t to,
                                     int64_t at) {
  opcode = hlo::synchronous(opcode);
  const auto whole = launch_line(machine, opcode, spans, from, to, at);
  if (!whole) return {};
  // Of the group that is the slowest there.
  std::vector<GroupSpan> span = spans;
  if (spans.size() > 1) {
    span = {*std::ranges::max_element(spans, {}, [&](const GroupSpan& group) {
      return launch_time_over(machine, opcode, at, {group});
    })};
  }
  const auto points = turning_points(machine, opcode, span, from, to);
  if (!points) return {*whole};
  std::vector<LaunchLine> lines;
  const auto add = [&](size_t first, size_t last) {
    const std::span<const CurvePoint> stretch(&(*points)[first], last - first + 1);
    const int64_t near = std::clamp(at, stretch.front().bytes, stretch.back().bytes);
    lines.push_back(line_below(stretch, near, slack(machine, spans)));
  };
  size_t first = 0;
  for (size_t i = 1; i + 1 < points->size(); ++i) {
    const CurvePoint &a = (*points)[i - 1], &b = (*points)[i], &c = (*points)[i + 1];
    if (rise(b, c) * run(a, b) >= rise(a, b) * run(b, c)) continue;
    add(first, i);
    first = i;
  }
  add(first, points->size() - 1);
  if (lines.size() == 1 || lines.size() > kMostLines) return {*whole};
  return lines;
}

Picoseconds LaunchSlope::moving(int64_t bytes) const { return LaunchLine{0, slope}.moving(bytes); }

LaunchSlope launch_slope(const Machine& machine, hlo::Opcode opcode,
                         const std::vector<GroupSpan>& spans, int64_t from, int64_t to) {
  opcode = hlo::synchronous(opcode);
  const std::vector<int64_t> sizes = breakpoints(machine, opcode, from, to);
  int64_t least = std::numeric_limits<int64_t>::max();
  const size_t groups = std::max<size_t>(spans.size(), 1);
  for (size_t group = 0; group < groups; ++group) {
    const auto span = spans.empty() ? spans : std::vector<GroupSpan>{spans[group]};
    for (size_t i = 1; i < sizes.size(); ++i) {
      const Picoseconds rise = launch_time_over(machine, opcode, sizes[i], span) -
                               launch_time_over(machine, opcode, sizes[i - 1], span) -
                               slack(machine, spans);
      least = std::min(least, saturating_narrow(
                                  (static_cast<Wide>(std::max<Picoseconds>(rise, 0)) << kFraction) /
                                  static_cast<Wide>(sizes[i] - sizes[i - 1])));
    }
  }
  return {sizes.size() < 2 ? 0 : least, slack(machine, spans)};
}

}  // namespace flipsat::extract
