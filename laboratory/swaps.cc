#include "laboratory/swaps.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace flipsat::laboratory {
namespace {

// Two orders that differ in two neighbours: the pair stands as in the list in `one`.
struct Neighbours {
  size_t pair;
  uint32_t one;
  uint32_t other;
};

int64_t cost_to_compare(const FinalProgram& program, extract::Objective objective) {
  const bool is_right = program.cost && program.correctness.correct != Correct::kNo;
  return is_right ? program.cost->value(objective) : std::numeric_limits<int64_t>::max();
}

class Counting {
 public:
  explicit Counting(const Study& list) {
    std::map<passes::Order, uint32_t> place;
    for (uint32_t i = 0; i < list.orders.size(); ++i) place.emplace(list.orders[i], i);
    for (uint32_t i = 0; i < list.orders.size(); ++i) {
      passes::Order swapped = list.orders[i];
      for (size_t at = 0; at + 1 < swapped.size(); ++at) {
        if (swapped[at] >= swapped[at + 1]) continue;
        const size_t pair = pair_of(swapped[at], swapped[at + 1]);
        std::swap(swapped[at], swapped[at + 1]);
        neighbours_.push_back({pair, i, place.at(swapped)});
        std::swap(swapped[at], swapped[at + 1]);
      }
    }
  }

  void count(const Study& study, extract::Objective objective) {
    std::vector<bool> is_changed(swaps_.size());
    for (const auto& [pair, one, other] : neighbours_) {
      Swap& swap = swaps_[pair];
      ++swap.neighbours;
      const uint32_t first = study.program_of[one];
      const uint32_t second = study.program_of[other];
      if (first == second) continue;
      ++swap.changed;
      is_changed[pair] = true;
      const int64_t cost = cost_to_compare(study.programs[first], objective);
      const int64_t swapped = cost_to_compare(study.programs[second], objective);
      swap.first_is_better += cost < swapped;
      swap.second_is_better += swapped < cost;
    }
    for (size_t pair = 0; pair < swaps_.size(); ++pair) swaps_[pair].modules += is_changed[pair];
  }

  std::vector<Swap> sorted() && {
    std::ranges::sort(swaps_, {}, [](const Swap& s) { return std::pair(s.first, s.second); });
    return std::move(swaps_);
  }

 private:
  size_t pair_of(uint32_t first, uint32_t second) {
    const auto [known, is_new] = pairs_.try_emplace({first, second}, swaps_.size());
    if (is_new) {
      Swap& made = swaps_.emplace_back();
      made.first = first;
      made.second = second;
    }
    return known->second;
  }

  std::map<std::pair<uint32_t, uint32_t>, size_t> pairs_;
  std::vector<Swap> swaps_;
  std::vector<Neighbours> neighbours_;
};

}  // namespace

std::vector<Swap> swaps(const std::vector<const Study*>& studies, extract::Objective objective) {
  if (studies.empty()) return {};
  Counting counting(*studies.front());
  for (const Study* study : studies) counting.count(*study, objective);
  return std::move(counting).sorted();
}

}  // namespace flipsat::laboratory
