// The fewest launches for a set of collectives: which of them to launch together.
//
// Collectives of one key may share a launch, up to so many bytes and so many members, as long as no
// launch then depends on itself, also by way of other launches. An answer is a sequence of launches
// in which everything comes after what it depends on. With one key and no limits that is the length
// of the longest chain; with several it holds the shortest common supersequence, with limits bin
// packing, so there is no fast exact way: a search that proves its answer within some work, else
// the best that was found and a lower bound.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/bit_matrix.h"

namespace flipsat::hlo {

struct PackingInstance {
  struct Item {
    uint32_t key = 0;
    int64_t bytes = 0;
  };
  struct Limits {
    int64_t bytes = 0;  // at least those of each item of the key
    int64_t count = 1;
  };
  std::vector<Item> items;     // each after all that it depends on
  std::vector<Limits> limits;  // by key
  BitMatrix before;            // row i: the items that item i depends on, directly or not
  // Launches known to be possible, every item in one: the answer has no more.
  std::vector<std::vector<uint32_t>> start;
};

struct Packing {
  // In an order of launching; members ascending. `start` itself, sorted so, where that is as good.
  std::vector<std::vector<uint32_t>> batches;
  int64_t bound = 0;  // no packing has fewer launches
  bool is_optimal() const { return bound == static_cast<int64_t>(batches.size()); }
};

// `work` bounds the search, in words of bits looked at; deterministic. Beside it: the square of the
// number of items, over 64.
Packing pack(const PackingInstance& instance, int64_t work);

// A bound without a search: by each key's chains, bytes and members.
int64_t launches_at_least(const PackingInstance& instance);

}  // namespace flipsat::hlo
