#include "hlo/device_partition.h"

#include <algorithm>
#include <functional>
#include <set>

#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

// All partitions of `n` devices.
std::vector<DevicePartition> all_partitions(int64_t n) {
  std::set<std::vector<uint32_t>> seen;
  std::vector<DevicePartition> partitions;
  std::vector<int64_t> values(n, 0);
  std::function<void(int64_t)> extend = [&](int64_t device) {
    if (device == n) {
      DevicePartition partition = DevicePartition::of_values(values);
      if (seen.insert(partition.blocks()).second) partitions.push_back(partition);
      return;
    }
    for (values[device] = 0; values[device] < n; ++values[device]) extend(device + 1);
  };
  extend(0);
  return partitions;
}

// All ways to put 4 devices into ordered groups, of equal and of different sizes.
std::vector<DeviceGroups> all_groupings() {
  std::set<std::vector<std::vector<int64_t>>> seen;
  std::vector<int64_t> order{0, 1, 2, 3};
  const std::vector<std::vector<size_t>> splits = {{1, 1, 1, 1}, {1, 1, 2}, {2, 2}, {1, 3}, {4}};
  do {
    for (const auto& sizes : splits) {
      std::vector<std::vector<int64_t>> groups;
      auto begin = order.begin();
      for (size_t size : sizes) {
        groups.emplace_back(begin, begin + size);
        begin += size;
      }
      std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
      });
      seen.insert(groups);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<DeviceGroups> groupings;
  for (const auto& groups : seen) groupings.push_back({groups});
  return groupings;
}

TEST_CASE("partitions: counted as the Bell numbers say") {
  CHECK(all_partitions(3).size() == 5);
  CHECK(all_partitions(4).size() == 15);
}

TEST_CASE("partitions: the lattice laws hold") {
  std::vector<DevicePartition> all = all_partitions(4);
  DevicePartition top = DevicePartition::all_equal(4);
  DevicePartition bottom = DevicePartition::all_distinct(4);
  CHECK(top.is_all_equal());
  CHECK_FALSE(top.is_all_distinct());
  CHECK(bottom.is_all_distinct());
  for (const auto& a : all) {
    CHECK(a.join(bottom) == a);
    CHECK(a.meet(top) == a);
    CHECK(a.join(top) == top);
    CHECK(a.meet(bottom) == bottom);
    for (const auto& b : all) {
      CHECK(a.join(b) == b.join(a));
      CHECK(a.meet(b) == b.meet(a));
      CHECK(a.join(a.meet(b)) == a);
      CHECK(a.meet(a.join(b)) == a);
      for (const auto& c : all) {
        CHECK(a.join(b).join(c) == a.join(b.join(c)));
        CHECK(a.meet(b).meet(c) == a.meet(b.meet(c)));
      }
    }
  }
}

TEST_CASE("partitions: a meet keeps the pairs of both, a join connects") {
  DevicePartition a = DevicePartition::of_values({7, 7, 9, 9});
  DevicePartition b = DevicePartition::of_values({1, 2, 2, 3});
  CHECK(a.meet(b).is_all_distinct());
  CHECK(a.join(b).is_all_equal());
  CHECK(a.blocks() == std::vector<uint32_t>{0, 0, 1, 1});
  CHECK(a.uniform_within(DeviceGroups{{{1, 0}, {2, 3}}}));
  CHECK_FALSE(a.uniform_within(DeviceGroups{{{0, 2}, {1, 3}}}));
  CHECK(DevicePartition::of_groups(DeviceGroups{{{0, 3}, {1}}}, 4).blocks() ==
        std::vector<uint32_t>{0, 1, 2, 0});
}

// What a collective computes on each device from one number a device, kept exact.
using Law = std::function<std::vector<int64_t>(const std::vector<int64_t>&, const DeviceGroups&)>;
using Transfer = std::function<DevicePartition(const DevicePartition&, const DeviceGroups&)>;

// The fact must hold for all operands that the operand's fact allows, and be the finest such:
// blocks numbered by distinct powers make different multisets (and sequences) different numbers.
void check_exact(const Law& law, const Transfer& transfer, std::vector<int64_t> block_values) {
  for (const DeviceGroups& groups : all_groupings()) {
    for (const DevicePartition& operand : all_partitions(4)) {
      std::vector<int64_t> values(4);
      for (size_t d = 0; d < 4; ++d) values[d] = block_values[operand.blocks()[d]];
      CHECK(transfer(operand, groups) == DevicePartition::of_values(law(values, groups)));
    }
  }
}

Law group_law(std::function<int64_t(const std::vector<int64_t>&, size_t)> combine) {
  return [combine](const std::vector<int64_t>& values, const DeviceGroups& groups) {
    std::vector<int64_t> results(values.size());
    for (const auto& group : groups.groups) {
      std::vector<int64_t> members;
      for (int64_t device : group) members.push_back(values[device]);
      for (size_t i = 0; i < group.size(); ++i) results[group[i]] = combine(members, i);
    }
    return results;
  };
}

int64_t sum(const std::vector<int64_t>& values) {
  int64_t total = 0;
  for (int64_t value : values) total += value;
  return total;
}

int64_t bit_or(const std::vector<int64_t>& values) {
  int64_t total = 0;
  for (int64_t value : values) total |= value;
  return total;
}

int64_t sequence(const std::vector<int64_t>& values) {
  int64_t total = 0;
  for (int64_t value : values) total = total * 100 + value;
  return total;
}

TEST_CASE("uniformity laws: exact against the values of every grouping of 4 devices") {
  std::vector<int64_t> powers_of_five{1, 5, 25, 125};
  std::vector<int64_t> bits{1, 2, 4, 8};
  check_exact(
      group_law([](const auto& members, size_t) { return sum(members); }),
      [](const auto& p, const auto& g) { return after_all_reduce(p, g, false); }, powers_of_five);
  check_exact(
      group_law([](const auto& members, size_t) { return bit_or(members); }),
      [](const auto& p, const auto& g) { return after_all_reduce(p, g, true); }, bits);
  check_exact(
      group_law([](const auto& members, size_t) { return sequence(members); }),
      [](const auto& p, const auto& g) { return after_all_gather(p, g); }, bits);
  // Shards at different positions are different parts of the sum.
  check_exact(
      group_law([](const auto& members, size_t i) {
        return sum(members) * 10 + static_cast<int64_t>(i);
      }),
      [](const auto& p, const auto& g) { return after_reduce_scatter(p, g, false); },
      powers_of_five);
  check_exact(
      group_law([](const auto& members, size_t i) {
        return bit_or(members) * 10 + static_cast<int64_t>(i);
      }),
      [](const auto& p, const auto& g) { return after_reduce_scatter(p, g, true); }, bits);
  check_exact(
      group_law([](const auto& members, size_t i) {
        return sequence(members) * 10 + static_cast<int64_t>(i);
      }),
      [](const auto& p, const auto& g) { return after_all_to_all(p, g); }, bits);
}

TEST_CASE("uniformity laws: a permute's non-targets all hold zeros") {
  DevicePartition operand = DevicePartition::of_values({1, 1, 2, 3});
  CHECK(after_permute(operand, {{0, 2}, {1, 3}}).blocks() == std::vector<uint32_t>{0, 0, 1, 1});
  CHECK(after_permute(operand, {{0, 1}, {1, 0}, {2, 3}, {3, 2}}).blocks() ==
        std::vector<uint32_t>{0, 0, 1, 2});
}

}  // namespace
}  // namespace flipsat::hlo
