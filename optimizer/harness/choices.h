// A case as a list of choices: one function that asks `choices` for what it needs describes a
// whole space of cases. The same function then runs through all of them, draws some, or takes a
// found case down to a smaller one.
//
//   int rank = choices.between(1, 4);
//   ElementType type = choices.of(kTypes);
//
// Small and simple ones come first in every list of alternatives, so that smaller choices are
// smaller cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flipsat::optimizer {

class Choices {
 public:
  // What was chosen each time, and out of how many.
  struct Choice {
    int64_t taken = 0;
    int64_t count = 1;
    bool operator==(const Choice&) const = default;
  };

  static Choices first() { return Choices({}, 0); }  // the first case of all, for `advance`
  static Choices drawn(uint64_t seed) { return Choices({}, seed | 1); }
  static Choices replayed(std::vector<int64_t> script) { return Choices(std::move(script), 0); }

  int64_t below(int64_t count);  // 0 .. count-1; `count` at least 1
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool flag() { return below(2) == 1; }
  template <class T>
  const T& of(const std::vector<T>& alternatives) {
    return alternatives[static_cast<size_t>(below(static_cast<int64_t>(alternatives.size())))];
  }

  const std::vector<Choice>& taken() const { return taken_; }
  // Goes on to the next case in order, to be asked for anew; false after the last.
  bool advance();

 private:
  Choices(std::vector<int64_t> script, uint64_t seed) : script_(std::move(script)), state_(seed) {}

  std::vector<int64_t> script_;
  std::vector<Choice> taken_;
  uint64_t state_;  // 0: the first alternative wherever the script has ended
};

}  // namespace flipsat::optimizer
