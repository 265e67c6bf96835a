#include <algorithm>
#include <cassert>

#include "extract/machine_model.h"
#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

// Value at `bytes` of the line through `from` and `to`, rounded down; to the right of `to` as well.
Picoseconds on_line(const CurvePoint& from, const CurvePoint& to, int64_t bytes) {
  Wide rise = static_cast<Wide>(to.time - from.time) * static_cast<Wide>(bytes - from.bytes) /
              static_cast<Wide>(to.bytes - from.bytes);
  return saturating_add(from.time, saturating_narrow(rise));
}

}  // namespace

Curve make_curve(hlo::Opcode opcode, int64_t devices, std::vector<CurvePoint> points,
                 Picoseconds launch) {
  assert(!points.empty());
  points.front().time = std::max(points.front().time, saturating_add(launch, points.front().bytes));
  for (size_t i = 1; i < points.size(); ++i) {
    assert(points[i - 1].bytes < points[i].bytes);
    points[i].time = std::max(
        points[i].time, saturating_add(points[i - 1].time, points[i].bytes - points[i - 1].bytes));
  }
  return {opcode, devices, std::move(points)};
}

Picoseconds curve_time(const Curve& curve, int64_t bytes) {
  const std::vector<CurvePoint>& points = curve.points;
  const CurvePoint& first = points.front();
  if (bytes <= first.bytes) return first.time - (first.bytes - bytes);
  if (points.size() == 1) return saturating_add(first.time, bytes - first.bytes);
  auto to = std::lower_bound(points.begin(), points.end(), bytes,
                             [](const CurvePoint& point, int64_t b) { return point.bytes < b; });
  if (to == points.end()) --to;
  return on_line(*(to - 1), *to, bytes);
}

}  // namespace flipsat::extract
