#include "egraph/hash_cons.h"

#include <map>
#include <random>
#include <vector>

#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

// A key of `width` children told by `seed`.
NodeKey key_of(uint32_t seed, uint32_t width) {
  return {seed % 3, std::vector<ClassId>(width, seed)};
}

TEST_CASE("hash-cons: finds what was inserted and not erased") {
  HashCons table;
  std::map<NodeId, NodeKey> held;
  std::mt19937 random(1);
  for (NodeId id = 0; id < 4000; ++id) {
    const NodeKey key = key_of(id, id % 4);
    if (id % 4 == 0 && id >= 12) continue;  // only three operators without children
    table.insert(key, id);
    held[id] = key;
    if (random() % 2 == 0) {
      const auto victim = std::next(held.begin(), random() % std::min<size_t>(held.size(), 50));
      table.erase(victim->second, victim->first);
      held.erase(victim);
    }
  }
  CHECK(table.size() == held.size());
  for (NodeId id = 0; id < 4000; ++id) {
    if (id % 4 == 0 && id >= 12) continue;
    const NodeId found = table.find(key_of(id, id % 4), [&](NodeId other) { return other == id; });
    REQUIRE(found == (held.count(id) == 0 ? kNoId : id));
  }
}

TEST_CASE("hash-cons: many wide nodes of one key are told apart, and go one by one") {
  HashCons table;
  const NodeKey key = key_of(1, 3);
  for (NodeId id = 0; id < 100; ++id) table.insert(key, id);
  for (NodeId id = 0; id < 100; id += 2) table.erase(key, id);
  for (NodeId id = 0; id < 100; ++id) {
    const NodeId found = table.find(key, [&](NodeId other) { return other == id; });
    REQUIRE(found == (id % 2 == 0 ? kNoId : id));
  }
}

TEST_CASE("hash-cons: keys of different width differ") {
  CHECK_FALSE(key_of(0, 0) == key_of(0, 1));
  CHECK_FALSE(key_of(0, 1) == key_of(0, 2));
  CHECK_FALSE(key_of(0, 2) == key_of(0, 3));
  CHECK_FALSE(key_of(0, 3) == key_of(0, 4));
}

TEST_CASE("hash-cons: replace keeps the place and changes the id") {
  HashCons table;
  table.insert(key_of(7, 2), 1);
  table.replace(key_of(7, 2), 1, 2);
  const auto any = [](NodeId) { return true; };
  CHECK(table.find(key_of(7, 2), any) == 2);
  CHECK(table.size() == 1);
}

TEST_CASE("hash-cons: an empty table finds nothing") {
  CHECK(HashCons().find(NodeKey(), [](NodeId) { return true; }) == kNoId);
}

}  // namespace
}  // namespace flipsat::egraph
