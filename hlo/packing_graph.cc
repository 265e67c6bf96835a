#include "hlo/packing_graph.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>

namespace flipsat::hlo {
namespace {

int64_t divide_up(int64_t value, int64_t by) { return value <= 0 ? 0 : (value - 1) / by + 1; }

// Sums that the limits of a combiner may make large.
int64_t saturating_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace

PackingPredecessors immediate_predecessors(const PackingInstance& instance) {
  const size_t words = instance.before.words();
  PackingPredecessors predecessors(instance.items.size());
  std::vector<uint64_t> left(words);
  for (size_t item = 0; item < predecessors.size(); ++item) {
    std::copy_n(instance.before.row(item), words, left.begin());
    // The last one is implied by no other; what it implies is not looked at.
    for (size_t word = words; word-- > 0;) {
      while (left[word] != 0) {
        const int bit = 63 - std::countl_zero(left[word]);
        const auto predecessor = static_cast<uint32_t>(word * 64 + static_cast<size_t>(bit));
        predecessors[item].push_back(predecessor);
        left[word] &= ~(uint64_t{1} << bit);
        const uint64_t* implied = instance.before.row(predecessor);
        for (size_t i = 0; i <= word; ++i) left[i] &= ~implied[i];
      }
    }
  }
  return predecessors;
}

PackingGraph::PackingGraph(const PackingInstance& instance)
    : PackingGraph(instance, immediate_predecessors(instance)) {}

PackingGraph::PackingGraph(const PackingInstance& instance, const PackingPredecessors& immediate)
    : before_(instance.items.size()) {
  const size_t size = instance.items.size();
  std::vector<int32_t> key_height(size, 1), height(size, 1);
  find_heights(instance, immediate, key_height, height);
  std::vector<uint32_t> order(size), position(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(instance.items[a].key, -key_height[a], -height[a]) <
           std::tuple(instance.items[b].key, -key_height[b], -height[b]);
  });
  ranges_.resize(instance.limits.size());
  std::vector<int64_t> total(ranges_.size());
  for (uint32_t at = 0; at < size; ++at) {
    const uint32_t item = order[at];
    position[item] = at;
    original_.push_back(item);
    bytes_.push_back(instance.items[item].bytes);
    key_height_.push_back(key_height[item]);
    height_.push_back(height[item]);
    Range& range = ranges_[instance.items[item].key];
    if (range.end == 0) range.begin = at;
    range.end = at + 1;
    int64_t& sum = total[instance.items[item].key];
    sum = saturating_sum(sum, bytes_.back());
  }
  for (size_t key = 0; key < ranges_.size(); ++key) {
    Range& range = ranges_[key];
    range.limits = instance.limits[key];
    range.is_limited =
        range.end - range.begin > range.limits.count || total[key] > range.limits.bytes;
  }
  predecessors_.resize(size);
  successors_.resize(size);
  for (uint32_t item = 0; item < size; ++item) {
    for (uint32_t predecessor : immediate[item]) {
      predecessors_[position[item]].push_back(position[predecessor]);
      successors_[position[predecessor]].push_back(position[item]);
    }
    visit_bits(instance.before.row(item), before_.words(),
               [&](size_t other) { before_.set(position[item], position[other]); });
  }
  find_twins();
}

void PackingGraph::find_heights(const PackingInstance& instance,
                                const PackingPredecessors& predecessors,
                                std::vector<int32_t>& key_height,
                                std::vector<int32_t>& height) const {
  std::vector<std::vector<uint32_t>> of_key(instance.limits.size());
  for (size_t item = instance.items.size(); item-- > 0;) {
    std::vector<uint32_t>& later = of_key[instance.items[item].key];
    for (uint32_t other : later) {
      if (key_height[other] < key_height[item]) continue;
      if (instance.before.at(other, item)) key_height[item] = key_height[other] + 1;
    }
    later.push_back(static_cast<uint32_t>(item));
    for (uint32_t predecessor : predecessors[item]) {
      height[predecessor] = std::max(height[predecessor], height[item] + 1);
    }
  }
}

void PackingGraph::find_twins() {
  std::map<std::tuple<uint32_t, int64_t, std::vector<uint32_t>>, uint32_t> first;
  twin_.resize(size());
  for (size_t key = 0; key < ranges_.size(); ++key) {
    for (uint32_t item = ranges_[key].begin; item < ranges_[key].end; ++item) {
      std::sort(successors_[item].begin(), successors_[item].end());
      std::tuple likeness(static_cast<uint32_t>(key), bytes_[item], successors_[item]);
      twin_[item] = first.emplace(std::move(likeness), item).first->second;
    }
  }
}

bool PackingGraph::is_ready(uint32_t item, const uint64_t* done) const {
  const std::vector<uint32_t>& needed = predecessors_[item];
  if (needed.size() <= words()) {
    return std::all_of(needed.begin(), needed.end(),
                       [&](uint32_t other) { return (done[other / 64] >> (other % 64) & 1) != 0; });
  }
  const uint64_t* row = before_.row(item);
  for (size_t word = 0; word < words(); ++word) {
    if ((row[word] & ~done[word]) != 0) return false;
  }
  return true;
}

// Whatever has a chain of d others of its key behind it is not in the last d launches of the key.
int64_t PackingGraph::launches_left(size_t key, const uint64_t* done) const {
  const Range& range = ranges_[key];
  int64_t most = 0, count = 0, bytes = 0, height = 0;
  const auto settle_height = [&] {
    const int64_t needed =
        std::max(divide_up(count, range.limits.count), divide_up(bytes, range.limits.bytes));
    most = std::max(most, height - 1 + needed);
  };
  for (uint32_t item = range.begin; item < range.end; ++item) {
    if (item % 64 == 0 && done[item / 64] == ~uint64_t{0}) {
      item += 63;
      continue;
    }
    if ((done[item / 64] >> (item % 64) & 1) != 0) continue;
    if (!range.is_limited) return key_height_[item];
    if (count > 0 && key_height_[item] < height) settle_height();
    height = key_height_[item];
    ++count;
    bytes = saturating_sum(bytes, bytes_[item]);
  }
  if (count > 0) settle_height();
  return most;
}

}  // namespace flipsat::hlo
