#include "egraph/hash_cons.h"

#include <random>
#include <set>
#include <vector>

#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

// A table of ids whose content is a number told by `content`.
struct Table {
  HashCons table;
  std::set<NodeId> held;
  uint32_t bound = 0;
  uint32_t (*content)(NodeId) = [](NodeId id) { return id * 2654435761u; };

  void insert(NodeId id) {
    bound = std::max(bound, id + 1);
    table.insert(
        content(id), id, bound, [&](NodeId other) { return held.count(other) != 0; },
        [&](NodeId other) { return content(other); });
    held.insert(id);
  }
  void erase(NodeId id) {
    table.erase(content(id), id);
    held.erase(id);
  }
  NodeId find(NodeId id) const {
    return table.find(content(id), [&](NodeId other) { return other == id; });
  }
};

TEST_CASE("hash-cons: finds what was inserted and not erased") {
  Table table;
  std::mt19937 random(1);
  for (NodeId id = 0; id < 4000; ++id) {
    table.insert(id);
    if (random() % 2 == 0) {
      table.erase(
          *std::next(table.held.begin(), random() % std::min<size_t>(table.held.size(), 50)));
    }
  }
  CHECK(table.table.size() == table.held.size());
  for (NodeId id = 0; id < 4000; ++id) {
    REQUIRE(table.find(id) == (table.held.count(id) == 0 ? kNoId : id));
  }
}

TEST_CASE("hash-cons: ids of one hash are told apart, and go one by one") {
  Table table;
  table.content = [](NodeId) { return 7u; };
  for (NodeId id = 0; id < 100; ++id) table.insert(id);
  for (NodeId id = 0; id < 100; id += 2) table.erase(id);
  for (NodeId id = 0; id < 100; ++id) REQUIRE(table.find(id) == (id % 2 == 0 ? kNoId : id));
}

TEST_CASE("hash-cons: places of erased ids are used again") {
  Table table;
  for (NodeId id = 0; id < 100; ++id) table.insert(id);
  for (int round = 0; round < 1000; ++round) {
    table.erase(50);
    table.insert(50);
  }
  CHECK(table.table.size() == 100);
  CHECK(table.find(50) == 50);
  CHECK(table.find(100) == kNoId);
}

TEST_CASE("hash-cons: replace keeps the place and changes the id") {
  Table table;
  table.content = [](NodeId) { return 7u; };
  table.insert(1);
  table.table.replace(7, 1, 2);
  CHECK(table.find(1) == kNoId);
  CHECK(table.find(2) == 2);
}

TEST_CASE("hash-cons: an empty table finds nothing") {
  CHECK(HashCons().find(0, [](NodeId) { return true; }) == kNoId);
}

}  // namespace
}  // namespace flipsat::egraph
