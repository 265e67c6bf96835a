// Many short lists of 32-bit ids in one array.
//
// A list lives in a block whose size is a power of two; it moves to one of twice the size when it
// is full, and the block that it leaves serves the next list of that size. A list costs 12 bytes
// and its ids, and its ids lie side by side. Views are valid until any list grows.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace flipsat::egraph {

class ListPool {
 public:
  struct List {
    uint32_t offset = 0;
    uint32_t size = 0;
    uint32_t capacity = 0;  // zero or a power of two
  };

  std::span<const uint32_t> view(const List& list) const {
    return {pool_.data() + list.offset, list.size};
  }
  std::span<uint32_t> view(const List& list) { return {pool_.data() + list.offset, list.size}; }

  void push(List& list, uint32_t id) {
    if (list.size == list.capacity) grow(list, list.size + 1);
    pool_[list.offset + list.size++] = id;
  }

  // Moves the ids of `from` to the end of `to`; `from` is empty afterwards.
  void append(List& to, List& from);

  // Keeps the first `size` ids.
  void truncate(List& list, uint32_t size) {
    assert(size <= list.size);
    list.size = size;
  }

  void reserve(size_t ids) { pool_.reserve(ids); }
  uint64_t bytes() const { return pool_.size() * sizeof(uint32_t); }

 private:
  void grow(List& list, uint32_t size);
  void release(List& list);

  std::vector<uint32_t> pool_;
  std::array<std::vector<uint32_t>, 33> free_;  // offsets of free blocks, by log2 of their size
};

}  // namespace flipsat::egraph
