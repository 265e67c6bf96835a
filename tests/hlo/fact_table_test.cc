#include "hlo/fact_table.h"

#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

TEST_CASE("facts: equal partitions share a number, meets and joins are those of the partitions") {
  FactTable table(4);
  std::vector<DevicePartition> partitions;
  for (int64_t code = 0; code < 256; ++code) {
    partitions.push_back(
        DevicePartition::of_values({code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3}));
  }
  std::vector<Fact> facts;
  for (const DevicePartition& partition : partitions) facts.push_back(table.intern(partition));
  for (size_t i = 0; i < facts.size(); ++i) {
    for (size_t k = 0; k < facts.size(); ++k) {
      REQUIRE((facts[i] == facts[k]) == (partitions[i] == partitions[k]));
      REQUIRE(table[table.meet(facts[i], facts[k])] == partitions[i].meet(partitions[k]));
      REQUIRE(table[table.join(facts[i], facts[k])] == partitions[i].join(partitions[k]));
    }
  }
  CHECK(table.take().size() == 15);
}

TEST_CASE("facts: one device is equal to itself and distinct from nobody") {
  FactTable table(1);
  CHECK(table.all_equal() == table.all_distinct());
}

}  // namespace
}  // namespace flipsat::hlo
