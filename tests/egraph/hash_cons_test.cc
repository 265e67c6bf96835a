#include "egraph/hash_cons.h"

#include <map>
#include <random>

#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

TEST_CASE("hash-cons: finds what was inserted and not erased, with crowded hashes") {
  HashCons table;
  std::map<NodeId, uint32_t> held;  // id to hash
  std::mt19937 random(1);
  for (NodeId id = 0; id < 4000; ++id) {
    const uint32_t hash = random() % 64;  // many ids a hash, so that probes run into one another
    table.insert(hash, id);
    held[id] = hash;
    if (random() % 2 == 0) {
      const auto victim = std::next(held.begin(), random() % std::min<size_t>(held.size(), 50));
      table.erase(victim->second, victim->first);
      held.erase(victim);
    }
  }
  CHECK(table.size() == held.size());
  for (NodeId id = 0; id < 4000; ++id) {
    const auto it = held.find(id);
    const uint32_t hash = it == held.end() ? id % 64 : it->second;
    const NodeId found = table.find(hash, [&](NodeId other) { return other == id; });
    REQUIRE(found == (it == held.end() ? kNoId : id));
  }
}

TEST_CASE("hash-cons: replace keeps the place and changes the id") {
  HashCons table;
  table.insert(7, 1);
  table.replace(7, 1, 2);
  const auto any = [](NodeId) { return true; };
  CHECK(table.find(7, any) == 2);
  CHECK(table.size() == 1);
}

TEST_CASE("hash-cons: an empty table finds nothing") {
  CHECK(HashCons().find(3, [](NodeId) { return true; }) == kNoId);
}

}  // namespace
}  // namespace flipsat::egraph
