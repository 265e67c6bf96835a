#include "hlo/packing.h"

#include <map>
#include <random>

#include "hlo/combiner_graph.h"
#include "tests/catch.h"
#include "tests/hlo/packing_instances.h"

namespace flipsat::hlo {
namespace {

using testing::PackingMix;

constexpr int64_t kWork = 20'000'000;

void check_optimal(const PackingMix& mix, int rounds) {
  for (int seed = 0; seed < rounds; ++seed) {
    INFO("seed " << seed);
    const PackingInstance instance = testing::random_instance(mix, static_cast<uint32_t>(seed));
    const Packing packing = pack(instance, kWork);
    REQUIRE(testing::fault_of(instance, packing.batches) == "");
    REQUIRE(packing.is_optimal());
    REQUIRE(static_cast<int64_t>(packing.batches.size()) == testing::fewest_launches(instance));
  }
}

TEST_CASE("packing: optimal where brute force can tell, without limits") {
  SECTION("one key") { check_optimal({.items = 10, .keys = 1}, 200); }
  SECTION("two keys") { check_optimal({.items = 12, .keys = 2}, 200); }
  SECTION("three keys, sparse") {
    check_optimal({.items = 12, .keys = 3, .edge_percent = 12}, 200);
  }
  SECTION("many keys") { check_optimal({.items = 13, .keys = 5, .edge_percent = 15}, 100); }
  SECTION("chains") {
    check_optimal({.items = 14, .keys = 3, .edge_percent = 40, .reach_back = 3}, 100);
  }
}

TEST_CASE("packing: optimal where brute force can tell, with limits") {
  SECTION("count") { check_optimal({.items = 11, .keys = 2, .limits = {1000, 2}}, 200); }
  SECTION("bytes") {
    check_optimal({.items = 11, .keys = 1, .edge_percent = 8, .most_bytes = 9, .limits = {10, 99}},
                  200);
  }
  SECTION("both") {
    check_optimal({.items = 12, .keys = 2, .edge_percent = 10, .most_bytes = 7, .limits = {11, 3}},
                  200);
  }
  SECTION("nothing depends on anything") {
    check_optimal({.items = 12, .keys = 1, .edge_percent = 0, .most_bytes = 9, .limits = {12, 4}},
                  100);
  }
}

// Chains of collectives whose keys come in any order, read and written here and there by others;
// `start` is what the combiner's walk makes of them.
PackingInstance crossing_chains(int chains, int length, int keys,
                                const PackingInstance::Limits& limits, uint32_t seed) {
  std::mt19937 random(seed);
  auto below = [&](int limit) {
    return static_cast<uint32_t>(random() % static_cast<uint32_t>(limit));
  };
  PackingInstance instance;
  instance.limits.assign(static_cast<size_t>(keys), limits);
  instance.before = BitMatrix(static_cast<size_t>(chains * length));
  CombinerGraph graph;
  std::vector<CombinerGraph::Node> end_of(static_cast<size_t>(chains));
  std::vector<int> last(end_of.size(), -1), items_of(end_of.size());
  for (CombinerGraph::Node& end : end_of) end = graph.add({}, {});
  std::map<CombinerGraph::Node, uint32_t> item_of;
  while (instance.items.size() < static_cast<size_t>(chains * length)) {
    const uint32_t chain = below(chains);
    if (items_of[chain] == length) continue;
    ++items_of[chain];
    const auto item = static_cast<uint32_t>(instance.items.size());
    instance.items.push_back({below(keys), 1 + below(4)});
    CombinerGraph::Node operand = end_of[chain];
    if (last[chain] >= 0) testing::depend(instance, item, static_cast<size_t>(last[chain]));
    const uint32_t other = below(chains);
    if (below(10) == 0 && last[other] >= 0) {
      testing::depend(instance, item, static_cast<size_t>(last[other]));
      const std::vector<CombinerGraph::Node> both{operand, end_of[other]};
      operand = graph.add(both, {});
    }
    last[chain] = static_cast<int>(item);
    const auto& [key, bytes] = instance.items.back();
    const CombinerGraph::Node node = graph.add_candidate(operand, {0, key, bytes});
    item_of[node] = item;
    const std::vector<CombinerGraph::Node> read{node};
    end_of[chain] = graph.add(read, {});
  }
  graph.add(end_of, {});
  const std::vector<CombinerGraph::Limits> walk{{limits.bytes, limits.count}};
  for (const auto& batch : graph.batches(walk)) {
    auto& start = instance.start.emplace_back();
    for (CombinerGraph::Node node : batch) start.push_back(item_of.at(node));
  }
  return instance;
}

void check_against_walk(const PackingInstance& instance, int64_t work) {
  const Packing packing = pack(instance, work);
  REQUIRE(testing::fault_of(instance, packing.batches) == "");
  REQUIRE(packing.batches.size() <= instance.start.size());
  REQUIRE(packing.bound <= static_cast<int64_t>(packing.batches.size()));
}

TEST_CASE("packing: never more launches than the walk, and a bound below") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    const PackingInstance::Limits wide{1000, 1000}, narrow{9, 4};
    check_against_walk(crossing_chains(6, 8, 3, wide, seed), 200'000);
    check_against_walk(crossing_chains(3, 20, 2, narrow, seed), 200'000);
    check_against_walk(crossing_chains(40, 2, 1, narrow, seed), 200'000);
    check_against_walk(crossing_chains(8, 8, 12, wide, seed), 200'000);
    // No work allowed: the walk, with what can simply be merged.
    check_against_walk(crossing_chains(6, 8, 3, wide, seed), 0);
  }
}

TEST_CASE("packing: hundreds of collectives in chains that cross") {
  const PackingInstance instance = crossing_chains(30, 15, 12, {1 << 20, 1000}, 1);
  const Packing packing = pack(instance, 4'000'000);
  CHECK(testing::fault_of(instance, packing.batches) == "");
  CHECK(packing.batches.size() * 2 < instance.start.size());
  CHECK(pack(instance, 4'000'000).batches == packing.batches);
}

TEST_CASE("packing: thousands of one key, as long as the longest chain") {
  const PackingInstance instance = crossing_chains(50, 60, 1, {1 << 20, 4000}, 2);
  const Packing packing = pack(instance, 4'000'000);
  CHECK(testing::fault_of(instance, packing.batches) == "");
  CHECK(packing.is_optimal());
}

TEST_CASE("packing: more ready at once than a launch holds") {
  const PackingInstance instance = crossing_chains(300, 2, 1, {1 << 20, 64}, 3);
  const Packing packing = pack(instance, 4'000'000);
  CHECK(testing::fault_of(instance, packing.batches) == "");
  CHECK(packing.bound >= 10);
  CHECK(packing.batches.size() <= static_cast<size_t>(packing.bound) + 1);
}

TEST_CASE("packing: two chains of one key take as many launches as one of them") {
  PackingInstance instance;
  instance.limits = {{100, 100}};
  instance.items = {{0, 1}, {0, 1}, {0, 1}, {0, 1}};
  instance.before = BitMatrix(4);
  testing::depend(instance, 1, 0);
  testing::depend(instance, 3, 2);
  instance.start = {{0, 2}, {1}, {3}};
  const Packing packing = pack(instance, kWork);
  CHECK(packing.batches == std::vector<std::vector<uint32_t>>{{0, 2}, {1, 3}});
  CHECK(packing.bound == 2);
}

TEST_CASE("packing: the walk's own batches where there is nothing to gain") {
  PackingInstance instance;
  instance.limits = {{2, 100}};
  instance.items = {{0, 1}, {0, 1}, {0, 1}, {0, 1}};
  instance.before = BitMatrix(4);
  instance.start = {{3, 0}, {1, 2}};
  CHECK(pack(instance, kWork).batches == std::vector<std::vector<uint32_t>>{{0, 3}, {1, 2}});
}

TEST_CASE("packing: a launch may not depend on itself by way of another key") {
  // a1 -> b1 and b2 -> a2: either the a's or the b's together, not both.
  PackingInstance instance;
  instance.limits = {{100, 100}, {100, 100}};
  instance.items = {{0, 1}, {1, 1}, {1, 1}, {0, 1}};
  instance.before = BitMatrix(4);
  testing::depend(instance, 1, 0);
  testing::depend(instance, 3, 2);
  instance.start = {{0}, {1}, {2}, {3}};
  const Packing packing = pack(instance, kWork);
  CHECK(testing::fault_of(instance, packing.batches) == "");
  CHECK(packing.batches.size() == 3);
  CHECK(packing.is_optimal());
}

TEST_CASE("packing: nothing") {
  const Packing packing = pack({}, kWork);
  CHECK(packing.batches.empty());
  CHECK(packing.is_optimal());
}

}  // namespace
}  // namespace flipsat::hlo
