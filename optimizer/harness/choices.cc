#include "optimizer/harness/choices.h"

#include <algorithm>

#include "verify/term.h"

namespace flipsat::optimizer {

int64_t Choices::below(int64_t count) {
  int64_t choice = 0;
  if (taken_.size() < script_.size()) {
    choice = std::min(script_[taken_.size()], count - 1);
  } else if (state_ != 0) {
    state_ += 0x9e3779b97f4a7c15;
    choice = static_cast<int64_t>(verify::mix(state_) % static_cast<uint64_t>(count));
  }
  taken_.push_back({choice, count});
  return choice;
}

bool Choices::advance() {
  while (!taken_.empty() && taken_.back().taken + 1 == taken_.back().count) taken_.pop_back();
  if (taken_.empty()) return false;
  script_.clear();
  for (const Choice& choice : taken_) script_.push_back(choice.taken);
  ++script_.back();
  taken_.clear();
  return true;
}

}  // namespace flipsat::optimizer
