// Disjoint sets over dense ids: a forest of parent links. Which of two roots wins is the caller's
// choice (an e-graph keeps the class with more parents).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flipsat::egraph {

class UnionFind {
 public:
  uint32_t make_set() {
    parents_.push_back(static_cast<uint32_t>(parents_.size()));
    return parents_.back();
  }

  // Reads only, so that a graph at rest can be searched from a const reference. Paths are short:
  // see `point_at`.
  uint32_t find(uint32_t id) const {
    while (parents_[id] != id) id = parents_[id];
    return id;
  }

  // Halves the path on the way.
  uint32_t find_and_halve(uint32_t id) {
    while (parents_[id] != id) {
      parents_[id] = parents_[parents_[id]];
      id = parents_[id];
    }
    return id;
  }

  // Links a root (or any member of its set) straight to `root`.
  void point_at(uint32_t member, uint32_t root) { parents_[member] = root; }

  size_t size() const { return parents_.size(); }
  void reserve(size_t count) { parents_.reserve(count); }

 private:
  std::vector<uint32_t> parents_;
};

}  // namespace flipsat::egraph
