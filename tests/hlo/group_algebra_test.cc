#include "hlo/group_algebra.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

// An array on one device: of each element, how often which element of which device was added.
using Element = std::map<std::pair<int64_t, int64_t>, int64_t>;
using Array = std::vector<Element>;
using Arrays = std::vector<Array>;  // by device

Arrays parameter(int64_t devices, int64_t size) {
  Arrays arrays(static_cast<size_t>(devices));
  for (int64_t device = 0; device < devices; ++device) {
    for (int64_t i = 0; i < size; ++i) arrays[device].push_back({{{device, i}, 1}});
  }
  return arrays;
}

Arrays gather(const Arrays& x, const DeviceGroups& groups) {
  Arrays result(x.size());
  for (const auto& group : groups.groups) {
    for (int64_t device : group) {
      for (int64_t member : group) {
        result[device].insert(result[device].end(), x[member].begin(), x[member].end());
      }
    }
  }
  return result;
}

Arrays reduce(const Arrays& x, const DeviceGroups& groups, bool idempotent = false) {
  Arrays result(x.size(), Array(x[0].size()));
  for (const auto& group : groups.groups) {
    for (int64_t device : group) {
      for (int64_t member : group) {
        for (size_t i = 0; i < x[member].size(); ++i) {
          for (const auto& [what, times] : x[member][i]) {
            int64_t& count = result[device][i][what];
            count = idempotent ? 1 : count + times;
          }
        }
      }
    }
  }
  return result;
}

Arrays scatter(const Arrays& x, const DeviceGroups& groups) {
  Arrays sum = reduce(x, groups);
  const int64_t block = static_cast<int64_t>(x[0].size()) / groups.group_size();
  for (const auto& group : groups.groups) {
    for (size_t place = 0; place < group.size(); ++place) {
      Array& array = sum[group[place]];
      auto begin = array.begin() + static_cast<int64_t>(place) * block;
      array = Array(begin, begin + block);
    }
  }
  return sum;
}

// Every way to put devices into groups of one size, members in every order, groups sorted by their
// smallest member.
std::vector<DeviceGroups> all_groupings(int64_t devices) {
  std::set<std::vector<std::vector<int64_t>>> distinct;
  std::vector<int64_t> order(static_cast<size_t>(devices));
  std::iota(order.begin(), order.end(), 0);
  do {
    for (int64_t size = 1; size <= devices; ++size) {
      if (devices % size != 0) continue;
      std::vector<std::vector<int64_t>> groups;
      for (int64_t begin = 0; begin < devices; begin += size) {
        groups.emplace_back(order.begin() + begin, order.begin() + begin + size);
      }
      std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
      });
      distinct.insert(std::move(groups));
    }
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<DeviceGroups> all;
  for (const auto& groups : distinct) all.push_back({groups});
  return all;
}

// All pairs of groupings of two to four devices, and some of six.
template <class Visit>
void for_each_pair(Visit visit) {
  for (int64_t devices : {2, 3, 4, 6}) {
    std::vector<DeviceGroups> all = all_groupings(devices);
    if (devices == 6) {
      std::vector<DeviceGroups> some;
      for (size_t i = 0; i < all.size(); i += 29) some.push_back(all[i]);
      all = std::move(some);
    }
    for (const DeviceGroups& first : all) {
      for (const DeviceGroups& second : all) visit(devices, first, second);
    }
  }
}

// The grouping over which `make` gives the arrays, among all there are.
template <class Make>
std::optional<DeviceGroups> grouping_that_makes(const Arrays& arrays, int64_t devices, Make make) {
  static std::map<int64_t, std::vector<DeviceGroups>> all;
  if (all[devices].empty()) all[devices] = all_groupings(devices);
  for (const DeviceGroups& groups : all[devices]) {
    if (make(groups) == arrays) return groups;
  }
  return std::nullopt;
}

TEST_CASE("group algebra: nested gathers are one exactly where their lists make groups") {
  int64_t merged = 0;
  for_each_pair([&](int64_t devices, const DeviceGroups& first, const DeviceGroups& second) {
    const Arrays x = parameter(devices, 1);
    const Arrays nested = gather(gather(x, first), second);
    const auto one = nested_gather(first, second);
    if (one) {
      ++merged;
      REQUIRE(gather(x, *one) == nested);
    } else if (devices <= 4) {
      REQUIRE_FALSE(
          grouping_that_makes(nested, devices, [&](const auto& g) { return gather(x, g); }));
    }
  });
  CHECK(merged > 100);
}

TEST_CASE("group algebra: nested scatters are one exactly where the groups are aligned") {
  int64_t merged = 0;
  for_each_pair([&](int64_t devices, const DeviceGroups& first, const DeviceGroups& second) {
    const Arrays x = parameter(devices, first.group_size() * second.group_size());
    const auto one = nested_scatter(first, second);
    const Arrays nested = scatter(scatter(x, first), second);
    if (one) {
      ++merged;
      REQUIRE(scatter(x, *one) == nested);
    } else if (devices <= 4) {
      REQUIRE_FALSE(grouping_that_makes(nested, devices, [&](const auto& g) {
        return g.group_size() == first.group_size() * second.group_size() ? scatter(x, g)
                                                                          : Arrays{};
      }));
    }
  });
  CHECK(merged > 100);
}

TEST_CASE("group algebra: nested sums are one exactly where nothing is counted twice") {
  int64_t merged[2] = {0, 0};
  for_each_pair([&](int64_t devices, const DeviceGroups& first, const DeviceGroups& second) {
    for (bool idempotent : {false, true}) {
      const Arrays x = parameter(devices, 1);
      const auto one = nested_reduce(first, second, idempotent);
      const Arrays nested = reduce(reduce(x, first, idempotent), second, idempotent);
      if (one) {
        ++merged[idempotent];
        REQUIRE(one->without_order() == *one);
        REQUIRE(reduce(x, *one, idempotent) == nested);
      } else if (devices <= 4) {
        REQUIRE_FALSE(grouping_that_makes(nested, devices,
                                          [&](const auto& g) { return reduce(x, g, idempotent); }));
      }
    }
  });
  CHECK(merged[0] > 100);
  CHECK(merged[1] > merged[0]);
}

TEST_CASE("group algebra: a scatter or a gather passes a sum exactly where the groups align") {
  int64_t aligned = 0;
  for_each_pair([&](int64_t devices, const DeviceGroups& inner, const DeviceGroups& outer) {
    const Arrays x = parameter(devices, outer.group_size());
    const bool is = is_aligned(outer, inner);
    aligned += is;
    REQUIRE(is == (scatter(reduce(x, inner), outer) == reduce(scatter(x, outer), inner)));
    REQUIRE(is == (gather(reduce(x, inner), outer) == reduce(gather(x, outer), inner)));
    REQUIRE(is_grid(outer, inner) == (is && is_aligned(inner, outer)));
  });
  CHECK(aligned > 100);
}

TEST_CASE("group algebra: a kept part of a sum is a scattered sum, summed over those who keep it") {
  // Four shards of eight elements, kept by any of four devices each.
  int64_t split = 0;
  for (const DeviceGroups& groups : all_groupings(4)) {
    for (int64_t shards : {1, 2, 4}) {
      for (int64_t table = 0; table < 256; ++table) {
        std::vector<int64_t> part_of;
        for (int device = 0; device < 4; ++device) part_of.push_back(table >> 2 * device & 3);
        if (*std::max_element(part_of.begin(), part_of.end()) >= shards) continue;
        const Arrays x = parameter(4, 4);
        Arrays kept = reduce(x, groups);
        for (int64_t device = 0; device < 4; ++device) {
          auto begin = kept[device].begin() + part_of[device] * (4 / shards);
          kept[device] = Array(begin, begin + 4 / shards);
        }
        const auto both = scatter_and_reduce(groups, part_of, shards);
        bool is_even = groups.group_size() % shards == 0;
        for (const auto& group : groups.groups) {
          for (int64_t part = 0; part < shards; ++part) {
            is_even &= std::count_if(group.begin(), group.end(),
                                     [&](int64_t member) { return part_of[member] == part; }) *
                           shards ==
                       groups.group_size();
          }
        }
        REQUIRE(both.has_value() == is_even);
        if (!both) continue;
        ++split;
        REQUIRE(both->scatter.group_size() == shards);
        REQUIRE(reduce(scatter(x, both->scatter), both->reduce) == kept);
      }
    }
  }
  CHECK(split > 100);
}

}  // namespace
}  // namespace flipsat::hlo
