#include "hlo/packing.h"

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

}  // namespace
}  // namespace flipsat::hlo
