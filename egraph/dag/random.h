// Random numbers that are small to make and the same everywhere (splitmix64).
#pragma once

#include <cstddef>
#include <cstdint>

namespace flipsat::egraph::dag {

class Random {
 public:
  uint64_t next() {
    uint64_t bits = state_ += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
  }
  size_t below(size_t bound) { return next() % bound; }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_ = 1;
};

}  // namespace flipsat::egraph::dag
