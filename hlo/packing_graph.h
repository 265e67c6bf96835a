// A packing instance made ready for searching.
//
// Items are renumbered so that those of a key lie side by side, the ones with the longest chain of
// their key behind them first. So sets are bit sets in which a key is a range, the first item of a
// range that is not launched yet tells how many launches its key still needs at least, and taking
// items in ascending order takes the most urgent first.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/packing.h"

namespace flipsat::hlo {

// Of each item of an instance, those that no other path implies.
using PackingPredecessors = std::vector<std::vector<uint32_t>>;
PackingPredecessors immediate_predecessors(const PackingInstance& instance);

class PackingGraph {
 public:
  explicit PackingGraph(const PackingInstance& instance);
  PackingGraph(const PackingInstance& instance, const PackingPredecessors& predecessors);

  size_t size() const { return bytes_.size(); }
  size_t words() const { return before_.words(); }
  size_t keys() const { return ranges_.size(); }

  struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
    PackingInstance::Limits limits;
    bool is_limited = false;  // its items do not all fit one launch
  };
  const Range& range(size_t key) const { return ranges_[key]; }
  int64_t bytes(uint32_t item) const { return bytes_[item]; }
  // Items of its own key on the longest path from it on, itself included.
  int32_t key_height(uint32_t item) const { return key_height_[item]; }
  // The same, of all keys.
  int32_t height(uint32_t item) const { return height_[item]; }
  // Items of one key with equal twins can stand for each other once both are ready.
  uint32_t twin(uint32_t item) const { return twin_[item]; }
  const std::vector<uint32_t>& successors(uint32_t item) const { return successors_[item]; }
  // Is everything that `item` depends on in the set?
  bool is_ready(uint32_t item, const uint64_t* done) const;
  // Launches that the key needs at least for what is not done.
  int64_t launches_left(size_t key, const uint64_t* done) const;

  uint32_t original(uint32_t item) const { return original_[item]; }

 private:
  void find_heights(const PackingInstance& instance, const PackingPredecessors& predecessors,
                    std::vector<int32_t>& key_height, std::vector<int32_t>& height) const;
  void find_twins();

  PackingPredecessors predecessors_;
  std::vector<std::vector<uint32_t>> successors_;
  BitMatrix before_;
  std::vector<Range> ranges_;
  std::vector<int64_t> bytes_;
  std::vector<int32_t> key_height_;
  std::vector<int32_t> height_;
  std::vector<uint32_t> twin_;
  std::vector<uint32_t> original_;
};

}  // namespace flipsat::hlo
