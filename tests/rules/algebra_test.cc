// Equations between collectives, over all pairs of groupings, by candidates alone: what holds when,
// before any rule relies on it. Each claim is a condition; the harness counts where it fires and is
// wrong (never), and where it refuses what would have been right.
#include <algorithm>
#include <cstdio>
#include <set>

#include "tests/catch.h"
#include "tests/length.h"
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

using optimizer::Counts;
using Groups = hlo::ReplicaGroups;

// A grouping as functions: group and position of each device.
struct Places {
  explicit Places(const Grouping& grouping) : groups(grouping.groups.groups) {
    for (const auto& group : groups) {
      for (size_t i = 0; i < group.size(); ++i) {
        position[group[i]] = static_cast<int64_t>(i);
        of[group[i]] = &group;
      }
    }
  }
  int64_t member(int64_t device, int64_t at) const { return (*of.at(device))[at]; }

  const Groups& groups;
  std::map<int64_t, int64_t> position;
  std::map<int64_t, const std::vector<int64_t>*> of;
};

// Members of one group of `inner` have equal positions in their groups of `outer`, and at each
// position those hold members of one group of `inner`.
bool is_aligned(const Grouping& outer, const Grouping& inner) {
  Places o(outer), i(inner);
  for (const auto& group : i.groups) {
    for (int64_t a : group) {
      for (int64_t b : group) {
        if (o.position[a] != o.position[b]) return false;
        for (int64_t at = 0; at < outer.size(); ++at) {
          if (i.of[o.member(a, at)] != i.of[o.member(b, at)]) return false;
        }
      }
    }
  }
  return true;
}

// The union of the inner groups that an outer group meets, by device; empty where they are not
// disjoint.
std::vector<std::set<int64_t>> unions(const Grouping& outer, const Grouping& inner,
                                      bool& disjoint) {
  Places o(outer), i(inner);
  std::vector<std::set<int64_t>> met(static_cast<size_t>(outer.devices()));
  disjoint = true;
  for (const auto& group : o.groups) {
    std::set<int64_t> all;
    size_t count = 0;
    for (int64_t member : group) {
      all.insert(i.of[member]->begin(), i.of[member]->end());
      count += i.of[member]->size();
    }
    disjoint &= all.size() == count;
    for (int64_t member : group) met[member] = all;
  }
  return met;
}

// Every member of a union has that union.
bool is_one_union(const std::vector<std::set<int64_t>>& met) {
  for (const auto& all : met) {
    for (int64_t member : all) {
      if (met[member] != all) return false;
    }
  }
  return true;
}

Groups as_groups(const std::vector<std::set<int64_t>>& met) {
  std::set<std::set<int64_t>> distinct(met.begin(), met.end());
  Groups groups;
  for (const auto& all : distinct) groups.emplace_back(all.begin(), all.end());
  return groups;
}

struct Pair {
  Grouping first, second;  // as they are applied
};

const size_t kSome = flipsat::testing::length<size_t>({1, 3}, {6, 12});

std::vector<Groups> every(size_t step, const std::vector<Groups>& all) {
  std::vector<Groups> some;
  for (size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

// All pairs of ordered groupings of two, three and four devices, and of every 40th of six.
std::optional<Pair> some_pair(Choices& choices) {
  static const std::vector<Groups> kOf[] = {
      optimizer::ordered_groups(2), optimizer::ordered_groups(3),
      every(kSome, optimizer::ordered_groups(4)), every(40 * kSome, optimizer::ordered_groups(6))};
  int64_t which = choices.below(4);
  const auto& all = kOf[which];
  int64_t devices = which == 3 ? 6 : which + 2;
  auto flattened = [&](const Groups& groups) {
    return optimizer::grouping(1, devices, hlo::GroupMode::kFlattenedId, groups);
  };
  return Pair{flattened(choices.of(all)), flattened(choices.of(all))};
}

// A dim that both groupings can cut, one after the other.
constexpr int64_t kBoth = -1;

using Side = std::function<Value(Program&, Value)>;

// An equation `left = right` over pairs of groupings, x of the given dims; right may have none.
Space equation(Dims dims, const std::function<Side(const Pair&)>& left,
               const std::function<std::optional<Side>(const Pair&)>& right,
               const std::function<bool(const Pair&)>& condition) {
  Space space;
  space.make = [=](Choices& choices) -> std::optional<Case> {
    std::optional<Pair> pair = some_pair(choices);
    Dims sizes = dims;
    for (int64_t& size : sizes) {
      if (size == kBoth) size = pair->first.size() * pair->second.size();
    }
    auto module_of = [dims = sizes, groups = pair->first](const Side& side) {
      Program p(groups);
      return p.finish(side(p, p.parameter(ElementType::kS32, dims)));
    };
    Case made;
    made.module = module_of(left(*pair));
    std::optional<Side> other = right(*pair);
    made.candidates = [=] {
      Modules modules;
      if (other) modules.push_back(module_of(*other));
      return modules;
    };
    made.claimed = condition(*pair) && other;
    return made;
  };
  return space;
}

// Claims that hold: fired wherever the condition says, never wrong, and right nowhere else.
Counts check_exact(const char* name, const Space& space) {
  Counts counts = optimizer::check_claims(space);
  std::printf("counted: %-52s %5ld cases %5ld fired %5ld wrong %5ld refused though right\n", name,
              counts.cases, counts.fired, counts.wrong, counts.refused_though_right_in_all());
  INFO(name);
  CHECK(counts.not_run == 0);
  CHECK(counts.fired > 0);
  return counts;
}

constexpr ReducerKind kSum = ReducerKind::kAdd;

Side gather(int64_t dim, const Grouping& groups) {
  return [=](Program& p, Value x) { return p.all_gather(x, dim, groups); };
}
Side scatter(int64_t dim, const Grouping& groups) {
  return [=](Program& p, Value x) { return p.reduce_scatter(x, dim, kSum, groups); };
}
Side sum(const Grouping& groups, ReducerKind kind = kSum) {
  return [=](Program& p, Value x) { return p.all_reduce(x, kind, groups); };
}
Side after(Side outer, Side inner) {
  return [=](Program& p, Value x) { return outer(p, inner(p, x)); };
}

Grouping over(const Groups& groups, const Grouping& like) {
  return optimizer::grouping(1, like.devices(), hlo::GroupMode::kFlattenedId, groups);
}

// Groups of the gather that two nested gathers along one dim are, the last applied major; nullopt
// where some device's list is not that of a group.
std::optional<Grouping> nested_gather(const Pair& pair) {
  Places first(pair.first), second(pair.second);
  std::set<std::vector<int64_t>> lists;
  for (int64_t device = 0; device < pair.first.devices(); ++device) {
    std::vector<int64_t> list;
    for (int64_t h : *second.of[device])
      list.insert(list.end(), first.of[h]->begin(), first.of[h]->end());
    lists.insert(list);
  }
  std::set<int64_t> members;
  Groups groups(lists.begin(), lists.end());
  size_t count = 0;
  for (const auto& group : groups) {
    members.insert(group.begin(), group.end());
    count += group.size();
  }
  auto devices = static_cast<size_t>(pair.first.devices());
  if (count != devices || members.size() != devices) return std::nullopt;
  return over(groups, pair.first);
}

// Of two nested scatters along one dim: members sorted by position in the first, then the second.
std::optional<Grouping> nested_scatter(const Pair& pair) {
  Places first(pair.first), second(pair.second);
  bool disjoint = true;
  auto met = unions(pair.second, pair.first, disjoint);
  if (!disjoint || !is_one_union(met)) return std::nullopt;
  Groups groups = as_groups(met);
  for (auto& group : groups) {
    std::sort(group.begin(), group.end(), [&](int64_t a, int64_t b) {
      return std::pair(first.position[a], second.position[a]) <
             std::pair(first.position[b], second.position[b]);
    });
  }
  return over(groups, pair.first);
}

bool is_grid(const Pair& pair) {
  return is_aligned(pair.first, pair.second) && is_aligned(pair.second, pair.first);
}

TEST_CASE("algebra: two gathers along one dim are one where the groups are aligned") {
  Counts counts = check_exact(
      "AG_2(AG_1) = AG, aligned(2 over 1)",
      equation(
          {2}, [](const Pair& p) { return after(gather(0, p.second), gather(0, p.first)); },
          [](const Pair& p) -> std::optional<Side> {
            auto merged = nested_gather(p);
            if (!merged) return std::nullopt;
            return gather(0, *merged);
          },
          [](const Pair& p) { return is_aligned(p.second, p.first); }));
  CHECK(counts.wrong == 0);
  CHECK(counts.refused_though_right_in_all() == 0);
}

TEST_CASE("algebra: two scatters along one dim are one where the groups are aligned") {
  Counts counts = check_exact(
      "RS_2(RS_1) = RS, aligned(1 over 2)",
      equation(
          {kBoth}, [](const Pair& p) { return after(scatter(0, p.second), scatter(0, p.first)); },
          [](const Pair& p) -> std::optional<Side> {
            auto merged = nested_scatter(p);
            if (!merged) return std::nullopt;
            return scatter(0, *merged);
          },
          [](const Pair& p) { return is_aligned(p.first, p.second); }));
  CHECK(counts.wrong == 0);
  CHECK(counts.refused_though_right_in_all() == 0);
}

TEST_CASE("algebra: a scatter passes a sum where the groups are aligned, and nowhere else") {
  auto left = [](const Pair& p) { return after(scatter(0, p.second), sum(p.first)); };
  auto right = [](const Pair& p) -> std::optional<Side> {
    return after(sum(p.first), scatter(0, p.second));
  };
  Counts counts = check_exact(
      "RS_2(AR_1) = AR_1(RS_2), aligned(2 over 1)",
      equation({kBoth}, left, right, [](const Pair& p) { return is_aligned(p.second, p.first); }));
  CHECK(counts.wrong == 0);
  CHECK(counts.refused_though_right_in_all() == 0);
  // As if there were no condition: wrong nearly always.
  Counts always = check_exact("RS_2(AR_1) = AR_1(RS_2), always",
                              equation({kBoth}, left, right, [](const Pair&) { return true; }));
  CHECK(always.wrong == always.cases - counts.fired);
}

TEST_CASE("algebra: a gather passes a sum where the groups are aligned") {
  Counts counts =
      check_exact("AG_2(AR_1) = AR_1(AG_2), aligned(2 over 1)",
                  equation(
                      {2}, [](const Pair& p) { return after(gather(0, p.second), sum(p.first)); },
                      [](const Pair& p) -> std::optional<Side> {
                        return after(sum(p.first), gather(0, p.second));
                      },
                      [](const Pair& p) { return is_aligned(p.second, p.first); }));
  CHECK(counts.wrong == 0);
  CHECK(counts.refused_though_right_in_all() == 0);
}

TEST_CASE("algebra: collectives along two dims commute on a grid") {
  struct Kind {
    const char* name;
    Side (*first)(int64_t, const Grouping&);
    Side (*second)(int64_t, const Grouping&);
  };
  for (const Kind& kind : {Kind{"AG_1(AG_0) = AG_0(AG_1), grid", gather, gather},
                           Kind{"RS_1(RS_0) = RS_0(RS_1), grid", scatter, scatter},
                           Kind{"AG_1(RS_0) = RS_0(AG_1), grid", scatter, gather}}) {
    Counts counts = check_exact(
        kind.name,
        equation(
            {kBoth, kBoth},
            [=](const Pair& p) { return after(kind.second(1, p.second), kind.first(0, p.first)); },
            [=](const Pair& p) -> std::optional<Side> {
              return after(kind.first(0, p.first), kind.second(1, p.second));
            },
            is_grid));
    CHECK(counts.wrong == 0);
    CHECK(counts.refused_though_right_in_all() == 0);
  }
}

TEST_CASE("algebra: sums of sums are one sum over unions that are disjoint and whole") {
  auto merged = [](const Pair& p) -> std::optional<Groups> {
    bool disjoint = true;
    auto met = unions(p.second, p.first, disjoint);
    if (!is_one_union(met)) return std::nullopt;
    return as_groups(met);
  };
  for (ReducerKind kind : {kSum, ReducerKind::kMaximum}) {
    Counts counts = check_exact(
        kind == kSum ? "AR_2(AR_1) = AR, disjoint and one union" : "the same of max, one union",
        equation(
            {2}, [=](const Pair& p) { return after(sum(p.second, kind), sum(p.first, kind)); },
            [=](const Pair& p) -> std::optional<Side> {
              auto groups = merged(p);
              // All groups of one size: what an all-reduce of HLO can have.
              if (!groups) return std::nullopt;
              return sum(over(*groups, p.first), kind);
            },
            [=](const Pair& p) {
              bool disjoint = true;
              unions(p.second, p.first, disjoint);
              return kind != kSum || disjoint;
            }));
    CHECK(counts.wrong == 0);
    CHECK(counts.refused_though_right_in_all() == 0);
  }
}

TEST_CASE("algebra: a sum is a gather of a scatter") {
  Counts counts = check_exact("AR = AG(RS) over the same list",
                              equation(
                                  {kBoth}, [](const Pair& p) { return sum(p.first); },
                                  [](const Pair& p) -> std::optional<Side> {
                                    return after(gather(0, p.second), scatter(0, p.first));
                                  },
                                  [](const Pair& p) { return p.first.groups == p.second.groups; }));
  CHECK(counts.wrong == 0);
  CHECK(counts.refused_though_right_in_all() == 0);
}

// Is a value that is equal within the first groups still so after a collective over the second?
// Said as an equation: it is then a maximum over the first groups of itself.
TEST_CASE("algebra: what is equal within groups stays so where the other groups meet alike") {
  auto kept = [](const char* name, const Dims& dims, auto collective, auto condition) {
    Counts counts = check_exact(
        name, equation(
                  dims,
                  [=](const Pair& p) {
                    return after(collective(p.second), sum(p.first, ReducerKind::kMaximum));
                  },
                  [=](const Pair& p) -> std::optional<Side> {
                    return after(sum(p.first, ReducerKind::kMaximum),
                                 after(collective(p.second), sum(p.first, ReducerKind::kMaximum)));
                  },
                  condition));
    CHECK(counts.wrong == 0);
    CHECK(counts.refused_though_right_in_all() == 0);
  };
  // Members of a first group meet, over the second, the same first groups.
  auto alike = [=](bool as_multisets, bool same_position) {
    return [=](const Pair& p) {
      Places first(p.first), second(p.second);
      for (const auto& group : first.groups) {
        for (int64_t member : group) {
          auto ids = [&](int64_t device) {
            std::vector<int64_t> smallest;
            for (int64_t other : *second.of[device]) {
              const auto& of = *first.of[other];
              smallest.push_back(*std::min_element(of.begin(), of.end()));
            }
            if (as_multisets) std::sort(smallest.begin(), smallest.end());
            return smallest;
          };
          if (ids(member) != ids(group[0])) return false;
          if (same_position && second.position[member] != second.position[group[0]]) return false;
        }
      }
      return true;
    };
  };
  kept(
      "uniform(1) kept by AR_2", {2}, [](const Grouping& g) { return sum(g); }, alike(true, false));
  kept(
      "uniform(1) kept by AG_2", {2}, [](const Grouping& g) { return gather(0, g); },
      alike(false, false));
  kept(
      "uniform(1) kept by RS_2", {kBoth}, [](const Grouping& g) { return scatter(0, g); },
      alike(true, true));
}

}  // namespace
}  // namespace flipsat::rules::testing
