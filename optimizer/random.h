// Random choices that are the same on every machine: std's distributions are not.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace flipsat::optimizer {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // In [0, n).
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
  int64_t between(int64_t from, int64_t to) { return from + below(to - from + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
  }
  template <class T>
  T one_of(std::initializer_list<T> from) {
    return from.begin()[below(static_cast<int64_t>(from.size()))];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace flipsat::optimizer
