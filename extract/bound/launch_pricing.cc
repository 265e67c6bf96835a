// Three ways to say what launches cost at least: by depth, by part and by path.
#include <algorithm>

#include "extract/bound/launch_bounds.h"
#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

constexpr Picoseconds kRounding = 1000;

int64_t parts_of(int64_t whole, int64_t limit) {
  return limit > 0 ? whole / limit + (whole % limit != 0) : whole;
}

}  // namespace

// Of some collectives of a group that nothing keeps apart: what their launches cost at least.
std::optional<LaunchBounds::Launches> LaunchBounds::launches_of(
    const Key& key, const std::vector<const Member*>& members, int64_t depth) const {
  const auto [region, kind, unused] = key;
  const hlo::CombinerGraph::Limits& limits = problem_.limits(region)[kind];
  int64_t forced_bytes = 0, forced_full = 0, forced_count = 0, bytes = 0;
  int64_t least = kSaturated;
  std::array<std::set<int64_t>, 2> live;  // launches of each program
  std::array<int64_t, 2> live_bytes = {0, 0};
  for (const Member* member : members) {
    bytes = saturating_add(bytes, member->bytes);
    least = std::min(least, member->bytes);
    for (size_t program = 0; program < live.size(); ++program) {
      if (member->launch[program] < 0) continue;
      live[program].insert(member->launch[program]);
      live_bytes[program] = saturating_add(live_bytes[program], member->bytes);
    }
    if (!is_forced_[member->cls]) continue;
    ++forced_count;
    forced_bytes = saturating_add(forced_bytes, member->bytes);
    forced_full = saturating_add(forced_full, std::min(member->counted_bytes, limits.bytes));
  }
  Launches launches;
  launches.at_least =
      std::max(parts_of(forced_full, limits.bytes), parts_of(forced_count, limits.count));
  launches.lines = {{1, 0}};
  if (problem_.options().objective == Objective::kTime) {
    const Problem::CollectiveUnit& first = *problem_.collective(members.front()->unit);
    // One launch can be thought to move all bytes, and so at least those that every program moves.
    const int64_t from =
        depth == 1 && launches.at_least <= 1 ? std::max(least, forced_bytes) : least;
    std::vector<int64_t> sizes;  // of a launch on average
    for (size_t program = 0; program < live.size(); ++program) {
      if (live[program].empty()) continue;
      const auto count = static_cast<int64_t>(live[program].size());
      sizes.push_back(std::clamp(live_bytes[program] / count, from, bytes));
    }
    const int64_t near = sizes.empty() ? bytes : sizes[0];
    const Machine& machine = problem_.machine();
    const auto& spans = problem_.spans(first);
    const auto line = launch_line(machine, first.opcode, spans, from, bytes, near);
    if (!line) return std::nullopt;
    launches.lines = {*line};
    // More than one make the problem harder; they are for where one says too little.
    const auto says_too_little = [&](int64_t size) {
      return problem_.launch_time(first, size) - line->fixed - line->moving(size) > rounding();
    };
    if (depth == 1 && std::ranges::any_of(sizes, says_too_little)) {
      launches.lines = launch_lines(machine, first.opcode, spans, from, bytes, near);
    }
  }
  return launches;
}

LaunchBounds::Pricing::Launch LaunchBounds::launch_on(const std::vector<LaunchLine>& lines,
                                                      const Key& key, Picoseconds less) const {
  Pricing::Launch launch;
  for (const LaunchLine& line : lines) {
    const Picoseconds fixed = std::max<Picoseconds>(line.fixed - less, 0);
    launch.fixed.push_back(saturating_multiply(fixed, times(key)));
  }
  return launch;
}

LaunchBounds::Pricing::Collective LaunchBounds::collective_on(const Member& member,
                                                              const std::vector<LaunchLine>& lines,
                                                              const Key& key, size_t launch) const {
  Pricing::Collective collective{member.cls, {}, launch};
  for (const LaunchLine& line : lines) {
    collective.moving.push_back(saturating_multiply(line.moving(member.bytes), times(key)));
  }
  return collective;
}

int64_t LaunchBounds::rounding() const {
  return problem_.options().objective == Objective::kTime ? kRounding : 0;
}

int64_t LaunchBounds::times(const Key& key) const {
  return problem_.calls().executions(std::get<0>(key));
}

std::optional<LaunchBounds::Pricing> LaunchBounds::by_depth(
    const Key& key, const Group& group, const std::vector<int64_t>& depth) const {
  std::vector<const Member*> members;
  int64_t most = 1;
  for (const Member& member : group.members) {
    members.push_back(&member);
    most = std::max(most, depth[member.cls]);
  }
  const std::optional<Launches> launches = launches_of(key, members, most);
  if (!launches) return std::nullopt;
  Pricing pricing;
  // Launch d needs launch d - 1.
  for (int64_t number = 0; number < std::max(most, launches->at_least); ++number) {
    Pricing::Launch launch = launch_on(launches->lines, key);
    if (number > 0) launch.needs = number - 1;
    launch.is_root = number > 0 && number + 1 == launches->at_least;
    pricing.launches.push_back(std::move(launch));
  }
  for (const Member& member : group.members) {
    const size_t number = static_cast<size_t>(std::max<int64_t>(depth[member.cls], 1) - 1);
    pricing.collectives.push_back(collective_on(member, launches->lines, key, number));
  }
  return pricing;
}

std::optional<LaunchBounds::Pricing> LaunchBounds::by_part(const Key& key, const Group& group,
                                                           const std::vector<int64_t>& height,
                                                           const Separation& separation) const {
  std::vector<Class> classes;
  std::vector<int64_t> first;
  std::vector<bool> is_kept;
  int64_t bytes = 0, least = kSaturated;
  for (const Member& member : group.members) {
    classes.push_back(member.cls);
    first.push_back(height[member.cls]);
    is_kept.push_back(member.launch[0] >= 0 || options_.kept.count(member.unit) > 0);
    bytes = saturating_add(bytes, member.bytes);
    least = std::min(least, member.bytes);
  }
  const std::vector<int> part_of = separation.parts(classes, first, is_kept);
  std::map<int, std::vector<const Member*>> parts;
  for (size_t i = 0; i < part_of.size(); ++i) parts[part_of[i]].push_back(&group.members[i]);
  std::vector<const Member*> others;
  if (auto none = parts.find(Separation::kNoPart); none != parts.end()) {
    others = std::move(none->second);
    parts.erase(none);
  }
  if (parts.size() < 2) return std::nullopt;

  // What others add to a launch, or have a launch of their own for.
  LaunchSlope further;
  int64_t own = 1;
  const Problem::CollectiveUnit& any = *problem_.collective(group.members.front().unit);
  if (problem_.options().objective == Objective::kTime) {
    const Machine& machine = problem_.machine();
    if (!launch_line(machine, any.opcode, problem_.spans(any), least, bytes, bytes)) {
      return std::nullopt;
    }
    further = launch_slope(machine, any.opcode, problem_.spans(any), least, bytes);
    int64_t smallest = kSaturated;
    for (const Member* member : others) smallest = std::min(smallest, member->bytes);
    own = problem_.launch_time(any, smallest) - further.moving(smallest) - further.slack;
  }
  Pricing pricing;
  for (const auto& [part, members] : parts) {
    const std::optional<Launches> launches = launches_of(key, members, 1);
    if (!launches) return std::nullopt;
    const size_t number = pricing.launches.size();
    pricing.launches.push_back(launch_on(launches->lines, key, others.empty() ? 0 : further.slack));
    pricing.launches.back().may_be_any = true;
    for (const Member* member : members) {
      pricing.collectives.push_back(collective_on(*member, launches->lines, key, number));
    }
    for (int64_t more = 1; more < launches->at_least; ++more) {
      Pricing::Launch launch = pricing.launches.back();
      launch.needs = pricing.launches.size() - 1;
      launch.is_root = more + 1 == launches->at_least;
      launch.may_be_any = false;
      pricing.launches.push_back(std::move(launch));
    }
  }
  if (others.empty()) return pricing;
  pricing.launches.push_back(launch_on({{own, 0}}, key));
  pricing.launches.back().may_be_any = true;
  for (const Member* member : others) {
    const int64_t moving = saturating_multiply(further.moving(member->bytes), times(key));
    pricing.collectives.push_back({member->cls, {moving}, std::nullopt});
  }
  return pricing;
}

LaunchBounds::Pricing LaunchBounds::by_path(const Family& family) const {
  std::vector<int64_t> weights(heights_->class_count(), 0);
  Pricing pricing;
  for (const auto* entry : family) {
    const auto& [key, group] = *entry;
    LaunchSlope slope;
    if (problem_.options().objective == Objective::kTime) {
      int64_t bytes = 0, least = kSaturated;
      for (const Member& member : group.members) {
        bytes = saturating_add(bytes, member.bytes);
        least = std::min(least, member.bytes);
      }
      const Problem::CollectiveUnit& any = *problem_.collective(group.members.front().unit);
      slope = launch_slope(problem_.machine(), any.opcode, problem_.spans(any), least, bytes);
    }
    for (const Member& member : group.members) {
      int64_t fixed = 1, moving = 0;
      if (problem_.options().objective == Objective::kTime) {
        const Problem::CollectiveUnit& unit = *problem_.collective(member.unit);
        moving = slope.moving(member.bytes);
        fixed =
            std::max<int64_t>(problem_.launch_time(unit, member.bytes) - moving - slope.slack, 0);
      }
      weights[member.cls] = saturating_multiply(fixed, times(key));
      pricing.collectives.push_back({member.cls, {saturating_multiply(moving, times(key))}, 0});
    }
  }
  const std::vector<int64_t> height = heights_->of(weights);
  // Time up to each height that a collective may stand at.
  std::map<int64_t, size_t> up_to;
  for (const Pricing::Collective& member : pricing.collectives)
    up_to[std::max<int64_t>(height[member.cls], 0)];
  int64_t before = 0;
  for (auto& [time, number] : up_to) {
    number = pricing.launches.size();
    pricing.launches.push_back({{time - before}});
    if (number > 0) pricing.launches.back().needs = number - 1;
    before = time;
  }
  for (Pricing::Collective& member : pricing.collectives) {
    member.launch = up_to.at(std::max<int64_t>(height[member.cls], 0));
  }
  return pricing;
}

}  // namespace flipsat::extract
