// A square matrix of bits, row by row in words of 64: who comes before whom among n things.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace flipsat::hlo {

class BitMatrix {
 public:
  BitMatrix() = default;
  explicit BitMatrix(size_t size) : words_((size + 63) / 64), bits_(size * words_) {}

  size_t words() const { return words_; }  // of a row
  uint64_t* row(size_t i) { return bits_.data() + i * words_; }
  const uint64_t* row(size_t i) const { return bits_.data() + i * words_; }

  bool at(size_t i, size_t j) const { return (row(i)[j / 64] >> (j % 64) & 1) != 0; }
  void set(size_t i, size_t j) { row(i)[j / 64] |= uint64_t{1} << (j % 64); }
  void clear(size_t i, size_t j) { row(i)[j / 64] &= ~(uint64_t{1} << (j % 64)); }
  // Row i becomes the union of itself and row j.
  void unite(size_t i, size_t j) {
    for (size_t word = 0; word < words_; ++word) row(i)[word] |= row(j)[word];
  }

 private:
  size_t words_ = 0;
  std::vector<uint64_t> bits_;
};

// Calls visit(position) for each bit set in words[0..count), in ascending order.
template <typename Visit>
void visit_bits(const uint64_t* words, size_t count, Visit visit) {
  for (size_t word = 0; word < count; ++word) {
    for (uint64_t left = words[word]; left != 0; left &= left - 1) {
      visit(word * 64 + static_cast<size_t>(std::countr_zero(left)));
    }
  }
}

}  // namespace flipsat::hlo
