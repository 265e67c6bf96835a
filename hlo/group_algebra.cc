#include "hlo/group_algebra.h"

#include <algorithm>
#include <map>
#include <set>

namespace flipsat::hlo {
namespace {

// A grouping as functions of the device.
struct Places {
  explicit Places(const DeviceGroups& groups) {
    size_t devices = 0;
    for (const auto& group : groups.groups) devices += group.size();
    group_of.resize(devices);
    position.resize(devices);
    for (size_t g = 0; g < groups.groups.size(); ++g) {
      for (size_t i = 0; i < groups.groups[g].size(); ++i) {
        group_of[groups.groups[g][i]] = static_cast<int64_t>(g);
        position[groups.groups[g][i]] = static_cast<int64_t>(i);
      }
    }
  }

  std::vector<int64_t> group_of, position;
};

DeviceGroups sorted_by_smallest(std::vector<std::vector<int64_t>> groups) {
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
  });
  return {std::move(groups)};
}

// Of each outer group, the inner groups that its members are in, place by place.
std::vector<std::vector<int64_t>> inner_groups_met(const DeviceGroups& outer, const Places& inner) {
  std::vector<std::vector<int64_t>> met;
  for (const auto& group : outer.groups) {
    met.emplace_back();
    for (int64_t member : group) met.back().push_back(inner.group_of[member]);
  }
  return met;
}

}  // namespace

bool is_aligned(const DeviceGroups& outer, const DeviceGroups& inner) {
  const Places outer_places(outer), inner_places(inner);
  const auto met = inner_groups_met(outer, inner_places);
  for (const auto& group : inner.groups) {
    const int64_t first = group.front();
    for (int64_t member : group) {
      if (outer_places.position[member] != outer_places.position[first]) return false;
      const int64_t a = outer_places.group_of[member], b = outer_places.group_of[first];
      if (a != b && met[a] != met[b]) return false;
    }
  }
  return true;
}

bool is_grid(const DeviceGroups& a, const DeviceGroups& b) {
  return is_aligned(a, b) && is_aligned(b, a);
}

std::optional<DeviceGroups> nested_reduce(const DeviceGroups& first, const DeviceGroups& second,
                                          bool idempotent) {
  const Places second_places(second);
  auto met = inner_groups_met(second, Places(first));
  for (auto& groups : met) {
    std::sort(groups.begin(), groups.end());
    const auto end = std::unique(groups.begin(), groups.end());
    if (end != groups.end() && !idempotent) return std::nullopt;
    groups.erase(end, groups.end());
  }
  // Wherever a first group is met, the same ones are met with it.
  for (const auto& group : first.groups) {
    const auto& expected = met[second_places.group_of[group.front()]];
    for (int64_t member : group) {
      if (met[second_places.group_of[member]] != expected) return std::nullopt;
    }
  }
  std::vector<std::vector<int64_t>> unions;
  for (const auto& groups : std::set<std::vector<int64_t>>(met.begin(), met.end())) {
    unions.emplace_back();
    for (int64_t group : groups) {
      const auto& members = first.groups[group];
      unions.back().insert(unions.back().end(), members.begin(), members.end());
    }
    std::sort(unions.back().begin(), unions.back().end());
    if (unions.back().size() != unions.front().size()) return std::nullopt;
  }
  return sorted_by_smallest(std::move(unions));
}

std::optional<DeviceGroups> nested_gather(const DeviceGroups& first, const DeviceGroups& second) {
  if (!is_aligned(second, first)) return std::nullopt;
  // Second groups that meet the same first ones gather the same list.
  const auto met = inner_groups_met(second, Places(first));
  std::vector<std::vector<int64_t>> lists;
  for (const auto& groups : std::set<std::vector<int64_t>>(met.begin(), met.end())) {
    lists.emplace_back();
    for (int64_t group : groups) {
      const auto& members = first.groups[group];
      lists.back().insert(lists.back().end(), members.begin(), members.end());
    }
  }
  return sorted_by_smallest(std::move(lists));
}

std::optional<DeviceGroups> nested_scatter(const DeviceGroups& first, const DeviceGroups& second) {
  if (!is_aligned(first, second)) return std::nullopt;
  std::optional<DeviceGroups> nested = nested_reduce(first, second, false);
  if (!nested) return std::nullopt;
  const Places first_places(first), second_places(second);
  for (auto& group : nested->groups) {
    std::sort(group.begin(), group.end(), [&](int64_t a, int64_t b) {
      return std::pair(first_places.position[a], second_places.position[a]) <
             std::pair(first_places.position[b], second_places.position[b]);
    });
  }
  return nested;
}

std::optional<ScatterAndReduce> scatter_and_reduce(const DeviceGroups& groups,
                                                   const std::vector<int64_t>& part_of,
                                                   int64_t shards) {
  if (shards <= 0 || groups.group_size() % shards != 0) return std::nullopt;
  const size_t times = static_cast<size_t>(groups.group_size() / shards);
  std::vector<std::vector<int64_t>> scatter, reduce;
  for (const auto& group : groups.groups) {
    std::map<int64_t, std::vector<int64_t>> keepers;  // by part
    for (int64_t member : group) keepers[part_of[member]].push_back(member);
    if (static_cast<int64_t>(keepers.size()) != shards) return std::nullopt;
    const size_t begin = scatter.size();
    scatter.resize(begin + times);
    for (auto& [part, members] : keepers) {
      if (members.size() != times) return std::nullopt;
      std::sort(members.begin(), members.end());
      for (size_t i = 0; i < times; ++i) scatter[begin + i].push_back(members[i]);
      reduce.push_back(std::move(members));
    }
  }
  return ScatterAndReduce{sorted_by_smallest(std::move(scatter)),
                          sorted_by_smallest(std::move(reduce))};
}

}  // namespace flipsat::hlo
