// Packing instances for tests: random ones, what a packing must hold, the best by brute force.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "hlo/packing.h"

namespace flipsat::hlo::testing {

struct PackingMix {
  int items = 8;
  int keys = 2;
  int edge_percent = 20;  // of earlier items that one depends on directly
  int reach_back = 100;   // how far up these are
  int64_t most_bytes = 4;
  PackingInstance::Limits limits{1000, 1000};
};

// Depends on, directly; the closure follows.
inline void depend(PackingInstance& instance, size_t item, size_t on) {
  instance.before.set(item, on);
  instance.before.unite(item, on);
}

inline PackingInstance random_instance(const PackingMix& mix, uint32_t seed) {
  std::mt19937 random(seed);
  auto below = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  };
  PackingInstance instance;
  instance.limits.assign(static_cast<size_t>(mix.keys), mix.limits);
  instance.before = BitMatrix(static_cast<size_t>(mix.items));
  for (int item = 0; item < mix.items; ++item) {
    instance.items.push_back({static_cast<uint32_t>(below(mix.keys)), 1 + below(mix.most_bytes)});
    for (int other = std::max(0, item - mix.reach_back); other < item; ++other) {
      if (below(100) < mix.edge_percent) {
        depend(instance, static_cast<size_t>(item), static_cast<size_t>(other));
      }
    }
    instance.start.push_back({static_cast<uint32_t>(item)});
  }
  return instance;
}

// Why batches are no packing of an instance in launch order; empty if they are.
inline std::string fault_of(const PackingInstance& instance,
                            const std::vector<std::vector<uint32_t>>& batches) {
  std::vector<int> launched_at(instance.items.size(), -1);
  for (size_t at = 0; at < batches.size(); ++at) {
    if (batches[at].empty()) return "an empty launch";
    int64_t bytes = 0;
    const uint32_t key = instance.items[batches[at].front()].key;
    for (uint32_t item : batches[at]) {
      if (launched_at[item] >= 0) return "launched twice";
      if (instance.items[item].key != key) return "two keys in a launch";
      launched_at[item] = static_cast<int>(at);
      bytes += instance.items[item].bytes;
    }
    if (bytes > instance.limits[key].bytes) return "too many bytes";
    if (static_cast<int64_t>(batches[at].size()) > instance.limits[key].count) {
      return "too many members";
    }
  }
  for (size_t item = 0; item < launched_at.size(); ++item) {
    if (launched_at[item] < 0) return "not launched";
    for (size_t other = 0; other < item; ++other) {
      if (instance.before.at(item, other) && launched_at[other] >= launched_at[item]) {
        return "launched before what it needs";
      }
    }
  }
  return "";
}

// The fewest launches by trying every launch from every set of items that may be done.
inline int64_t fewest_launches(const PackingInstance& instance) {
  const auto size = static_cast<uint32_t>(instance.items.size());
  const uint32_t all = (uint32_t{1} << size) - 1;
  std::vector<int> needed(size_t{all} + 1, -1);
  needed[0] = 0;
  std::vector<uint32_t> level{0}, next;
  while (needed[all] < 0) {
    next.clear();
    for (uint32_t done : level) {
      for (size_t key = 0; key < instance.limits.size(); ++key) {
        uint32_t ready = 0;
        for (uint32_t item = 0; item < size; ++item) {
          if ((done >> item & 1) != 0 || instance.items[item].key != key) continue;
          if ((instance.before.row(item)[0] & ~uint64_t{done}) == 0) ready |= uint32_t{1} << item;
        }
        for (uint32_t launch = ready; launch != 0; launch = (launch - 1) & ready) {
          int64_t bytes = 0, count = 0;
          for (uint32_t item = 0; item < size; ++item) {
            if ((launch >> item & 1) == 0) continue;
            bytes += instance.items[item].bytes;
            ++count;
          }
          if (bytes > instance.limits[key].bytes || count > instance.limits[key].count) continue;
          if (needed[done | launch] >= 0) continue;
          needed[done | launch] = needed[done] + 1;
          next.push_back(done | launch);
        }
      }
    }
    level.swap(next);
  }
  return needed[all];
}

}  // namespace flipsat::hlo::testing
