#include "passes/literal/reshape_dims.h"

#include <limits>

#include "passes/errors.h"

namespace flipsat::passes::literal {

using hlo::Dims;
using hlo::product;

// Line by line XLA's own (xla/util.cc), so that dims of size 0 and 1 fall as they do there.
std::vector<std::pair<int, int>> common_factors(const Dims& a, const Dims& b) {
  if (product(a) != product(b)) throw FatalError("a reshape changes the number of elements");
  if (product(a) == std::numeric_limits<int64_t>::max()) {
    throw FatalError("a reshape has more elements than can be counted");
  }
  int a_end = static_cast<int>(a.size());
  int b_end = static_cast<int>(b.size());
  int i = 0;
  int j = 0;
  std::pair<int, int> last(-1, -1);
  std::vector<std::pair<int, int>> borders;
  while (i < a_end && j < b_end && a[i] == b[j]) {
    last = {i, j};
    borders.push_back(last);
    ++i;
    ++j;
  }
  int64_t rest = product(a, i, a_end);
  if (rest != product(b, j, b_end)) return {{0, 0}, {a_end, b_end}};
  if (rest == 0) {
    borders.emplace_back(i, j);
    borders.emplace_back(a_end, b_end);
    return borders;
  }
  int64_t partial_a = 1;
  int64_t partial_b = 1;
  while (true) {
    if (partial_a == partial_b && (i > last.first || j > last.second)) {
      last = {i, j};
      borders.push_back(last);
      continue;
    }
    bool more_a = i < a_end;
    bool more_b = j < b_end;
    if (!more_a && !more_b) return borders;
    bool even = partial_a == partial_b;
    bool next_a = partial_a < partial_b || (more_a && (!more_b || (even && a[i] <= b[j])));
    bool next_b = partial_b < partial_a || (more_b && (!more_a || (even && b[j] <= a[i])));
    if (next_a) partial_a *= a[i++];
    if (next_b) partial_b *= b[j++];
  }
}

ReshapeDims::ReshapeDims(const Dims& operand, const Dims& result)
    : operand_(operand), borders_(common_factors(result, operand)) {}

std::vector<int> ReshapeDims::result_dims_of(int d) const {
  size_t run = run_of(d);
  std::vector<int> dims;
  for (int i = borders_[run].first; i < borders_[run + 1].first; ++i) dims.push_back(i);
  return dims;
}

bool ReshapeDims::only_merges() const {
  for (size_t run = 0; run + 1 < borders_.size(); ++run) {
    if (borders_[run + 1].first - borders_[run].first != 1) return false;
  }
  return true;
}

int ReshapeDims::others_merged_with(int d) const {
  size_t run = run_of(d);
  int others = 0;
  for (int i = borders_[run].second; i < borders_[run + 1].second; ++i) {
    others += i != d && operand_[static_cast<size_t>(i)] != 1;
  }
  return others;
}

size_t ReshapeDims::run_of(int d) const {
  size_t run = 0;
  while (borders_[run + 1].second <= d) ++run;
  return run;
}

}  // namespace flipsat::passes::literal
