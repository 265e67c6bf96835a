#include "extract/bound/launch_bounds.h"

#include <algorithm>

#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

using Class = AndOrGraph::Class;

constexpr size_t kNeighbourhood = 256;  // classes looked at for what may stand for what

}  // namespace

void LaunchBounds::add(Class cls, Unit unit) {
  const Problem::CollectiveUnit& collective = *problem_.collective(unit);
  const hlo::CombinerGraph::Candidate& candidate = *collective.candidate;
  Group& group = groups_[{problem_.instruction(unit).computation, candidate.kind, candidate.key}];
  group.members.push_back({cls, unit, collective.bytes, candidate.bytes});
}

void LaunchBounds::price(const std::set<Class>& values) {
  find_families(values);
  find_live();
  is_forced_ = graph_.forced();
  heights_.emplace(graph_);
  std::vector<Class> all;
  std::map<size_t, Family> families;
  for (auto& entry : groups_) {
    families[entry.second.family].push_back(&entry);
    for (const Member& member : entry.second.members) all.push_back(member.cls);
  }
  std::optional<Separation> separation;
  if (options_.with_parts) separation.emplace(graph_, all);
  std::vector<Pricing> chosen;
  for (const auto& [unused, family] : families) {
    const std::vector<int64_t> height = heights(family);
    std::vector<Pricing> by_key;
    int64_t worth = 0;
    bool is_known = true;
    for (const auto* entry : family) {
      const auto& [key, group] = *entry;
      std::optional<Pricing> pricing =
          by_depth(key, group, family.size() == 1 ? height : heights({entry}));
      is_known = is_known && pricing;
      if (!is_known) break;
      if (separation) {
        // Also where it says no more of the program at hand: others shall be no way out.
        std::optional<Pricing> parted = by_part(key, group, height, *separation);
        if (parted && estimate(*parted) + rounding() >= estimate(*pricing))
          pricing = std::move(parted);
      }
      worth = saturating_add(worth, estimate(*pricing));
      by_key.push_back(std::move(*pricing));
    }
    if (family.size() > 1 || !is_known) {
      Pricing path = by_path(family);
      if (!is_known ||
          (options_.with_parts ? estimate(path) > worth : is_chained(height, family))) {
        by_key.clear();
        by_key.push_back(std::move(path));
      }
    }
    std::ranges::move(by_key, std::back_inserter(chosen));
  }
  // What is needed of launches comes last, so that all of the above is about programs alone.
  for (const Pricing& pricing : chosen) apply(pricing);
}

// Groups that meet among the definitions of one value.
void LaunchBounds::find_families(const std::set<Class>& values) {
  std::map<Class, size_t> group_of;
  std::vector<size_t> leader;
  for (auto& [key, group] : groups_) {
    group.family = leader.size();
    for (const Member& member : group.members) group_of[member.cls] = group.family;
    leader.push_back(group.family);
  }
  auto find = [&](size_t x) {
    while (leader[x] != x) x = leader[x] = leader[leader[x]];
    return x;
  };
  for (Class value : values) {
    // What it may bring, down to other values.
    std::vector<Class> open{value};
    std::set<Class> seen{value};
    std::optional<size_t> first;
    while (!open.empty() && seen.size() < kNeighbourhood) {
      const Class at = open.back();
      open.pop_back();
      auto group = group_of.find(at);
      if (group != group_of.end()) {
        if (first) leader[find(group->second)] = find(*first);
        first = group->second;
      }
      for (const AndOrNode& node : graph_.nodes(at)) {
        for (Class child : node.children) {
          if (!values.count(child) && seen.insert(child).second) open.push_back(child);
        }
      }
    }
  }
  for (auto& [key, group] : groups_) group.family = find(group.family);
}

// Which collectives programs have, and in which launches.
void LaunchBounds::find_live() {
  for (auto& is_live : is_live_) is_live.assign(graph_.class_count(), false);
  for (auto& [key, group] : groups_) {
    std::map<Unit, Member*> members;
    for (Member& member : group.members) members[member.unit] = &member;
    note_launches(0, members, state_.live_batches(std::get<0>(key)));
    note_launches(1, members, options_.other);
  }
}

void LaunchBounds::note_launches(size_t program, std::map<Unit, Member*>& members,
                                 const std::vector<std::vector<Unit>>& launches) {
  for (size_t number = 0; number < launches.size(); ++number) {
    if (!members.count(launches[number].front())) continue;
    for (Unit unit : launches[number]) {
      Member& member = *members.at(unit);
      member.launch[program] = static_cast<int64_t>(number);
      is_live_[program][member.cls] = true;
    }
  }
}

// Has every program more launches one above the other than there are keys?
bool LaunchBounds::is_chained(const std::vector<int64_t>& height, const Family& family) const {
  const auto& roots = graph_.roots();
  return std::ranges::any_of(
      roots, [&](Class root) { return height[root] > static_cast<int64_t>(family.size()); });
}

std::vector<int64_t> LaunchBounds::heights(const Family& family) const {
  std::vector<int64_t> one(heights_->class_count(), 0);
  for (const auto* entry : family) {
    for (const Member& member : entry->second.members) one[member.cls] = 1;
  }
  return heights_->of(one);
}

// What the programs cost by a pricing.
int64_t LaunchBounds::estimate(const Pricing& pricing) const {
  return saturating_add(estimate(pricing, is_live_[0]), estimate(pricing, is_live_[1]));
}

int64_t LaunchBounds::estimate(const Pricing& pricing, const std::vector<bool>& is_live) const {
  std::vector<std::vector<int64_t>> costs;  // of each launch, by line
  for (const Pricing::Launch& launch : pricing.launches) costs.push_back(launch.fixed);
  std::vector<bool> is_used(pricing.launches.size());
  int64_t total = 0;
  bool needs_any = false;
  for (const Pricing::Collective& collective : pricing.collectives) {
    if (!is_live[collective.cls]) continue;
    if (!collective.launch) {
      total = saturating_add(total, collective.moving[0]);
      needs_any = true;
      continue;
    }
    is_used[*collective.launch] = true;
    auto& by_line = costs[*collective.launch];
    for (size_t i = 0; i < by_line.size(); ++i) {
      by_line[i] = saturating_add(by_line[i], collective.moving[i]);
    }
  }
  int64_t cheapest = kSaturated;
  for (size_t i = pricing.launches.size(); i-- > 0;) {
    const Pricing::Launch& launch = pricing.launches[i];
    const int64_t cost = *std::ranges::min_element(costs[i]);
    is_used[i] = is_used[i] || launch.is_root;
    if (launch.may_be_any) {
      needs_any = needs_any && !is_used[i];
      cheapest = std::min(cheapest, cost);
    }
    if (!is_used[i]) continue;
    total = saturating_add(total, cost);
    if (launch.needs) is_used[*launch.needs] = true;
  }
  return needs_any ? saturating_add(total, cheapest) : total;
}

void LaunchBounds::apply(const Pricing& pricing) {
  std::vector<Lined> launches;
  std::vector<AndOrNode> any;
  for (const Pricing::Launch& launch : pricing.launches) {
    Lined lined;
    std::vector<AndOrNode> nodes;
    for (int64_t fixed : launch.fixed) {
      AndOrNode node{fixed, {}};
      if (launch.needs) node.children.push_back(launches[*launch.needs].either);
      lined.lines.push_back(graph_.add_class({std::move(node)}));
      nodes.push_back({0, {lined.lines.back()}});
    }
    lined.either = nodes.size() == 1 ? lined.lines[0] : graph_.add_class(std::move(nodes));
    if (launch.is_root) graph_.add_root(lined.either);
    if (launch.may_be_any) any.push_back({0, {lined.either}});
    launches.push_back(std::move(lined));
  }
  std::optional<Class> any_launch;
  for (const Pricing::Collective& collective : pricing.collectives) {
    auto& nodes = graph_.nodes(collective.cls);
    if (!collective.launch) {
      if (!any_launch) {
        any_launch = graph_.add_class(any);
        open_launches_.push_back(*any_launch);
      }
      AndOrNode& node = graph_.nodes(collective.cls)[0];
      node.cost = saturating_add(node.cost, collective.moving[0]);
      node.children.push_back(*any_launch);
      continue;
    }
    Lined& launch = launches[*collective.launch];
    launch.collectives.push_back(collective.cls);
    nodes.resize(launch.lines.size(), AndOrNode(nodes[0]));
    for (size_t i = 0; i < nodes.size(); ++i) {
      nodes[i].cost = saturating_add(nodes[i].cost, collective.moving[i]);
      nodes[i].children.push_back(launch.lines[i]);
    }
  }
  for (Lined& launch : launches) {
    if (launch.lines.size() > 1) lined_.push_back(std::move(launch));
  }
}

}  // namespace flipsat::extract
