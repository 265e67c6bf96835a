// Which pairs of passes matter: how often two that are neighbours in an order lead to another
// program when they change places.
#pragma once

#include <cstdint>
#include <vector>

#include "laboratory/study.h"

namespace flipsat::laboratory {

struct Swap {
  uint32_t first = 0;  // places in Study::passes, `first` before `second` in the list
  uint32_t second = 0;
  int64_t neighbours = 0;       // orders in which `second` comes right after `first`, by module
  int64_t changed = 0;          // of these: with the two swapped, another program
  int64_t first_is_better = 0;  // of these: a dearer one (or a wrong one for a right one)
  int64_t second_is_better = 0;
  int64_t modules = 0;  // on which some swap changes the program
};

// All pairs of different passes, by place. Of studies of one list of passes.
std::vector<Swap> swaps(const std::vector<const Study*>& studies, extract::Objective objective);

}  // namespace flipsat::laboratory
