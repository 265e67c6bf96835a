#include "hlo/placement.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>
#include <utility>

namespace flipsat::hlo {
namespace {

// What an instruction needs listed before it.
template <typename Visit>
void visit_dependencies(const Instruction& instruction, Visit visit) {
  for (InstructionId operand : instruction.operands) visit(operand);
  for (InstructionId predecessor : instruction.control_predecessors()) visit(predecessor);
}

}  // namespace

Placement::Placement(const Module& module, const std::vector<bool>& added)
    : module_(module), added_(added), states_(module.instructions.size(), State::kNew) {}

void Placement::place(InstructionId id) {
  if (states_[id] == State::kPlaced) return;
  if (waiting_.empty() && is_ready(id)) {  // nearly all are
    states_[id] = State::kPlaced;
    list_.push_back(id);
    return;
  }
  std::vector<InstructionId> ready{id};
  while (!ready.empty()) {
    InstructionId next = ready.back();
    ready.pop_back();
    if (states_[next] == State::kPlaced) continue;
    InstructionId missing = first_missing(next);
    if (missing != kNoId) {
      waiting_[missing].push_back(next);
      continue;
    }
    place_with_added(next);
    auto woken = waiting_.find(next);
    if (woken == waiting_.end()) continue;
    ready.insert(ready.end(), woken->second.rbegin(), woken->second.rend());
    waiting_.erase(woken);
  }
}

std::vector<InstructionId> Placement::take() {
  if (!waiting_.empty()) throw std::logic_error("editor: the edited computation has a cycle");
  return std::exchange(list_, {});
}

bool Placement::is_ready(InstructionId id) const {
  bool ready = true;
  visit_dependencies(module_[id], [&](InstructionId needed) {
    ready = ready && states_[needed] == State::kPlaced;
  });
  return ready;
}

// An instruction of the old list that `id` needs, itself or through added ones, and that is not
// placed yet; kNoId if there is none.
InstructionId Placement::first_missing(InstructionId id) const {
  std::unordered_set<InstructionId> seen;
  std::vector<InstructionId> stack{id};
  InstructionId missing = kNoId;
  while (!stack.empty()) {
    InstructionId next = stack.back();
    stack.pop_back();
    visit_dependencies(module_[next], [&](InstructionId needed) {
      if (missing != kNoId || states_[needed] == State::kPlaced) return;
      if (!added_[needed]) missing = needed;
      if (added_[needed] && seen.insert(needed).second) stack.push_back(needed);
    });
    if (missing != kNoId) return missing;
  }
  return kNoId;
}

// Post-order over added dependencies, operands left to right.
void Placement::place_with_added(InstructionId id) {
  std::vector<InstructionId> stack{id};
  while (!stack.empty()) {
    InstructionId next = stack.back();
    if (states_[next] != State::kNew) {
      stack.pop_back();
      if (states_[next] == State::kPlaced) continue;  // reached twice
      states_[next] = State::kPlaced;
      list_.push_back(next);
      continue;
    }
    states_[next] = State::kEntered;
    auto begin = static_cast<int64_t>(stack.size());
    visit_dependencies(module_[next], [&](InstructionId needed) {
      if (states_[needed] == State::kEntered) {
        throw std::logic_error("editor: the edited computation has a cycle");
      }
      if (states_[needed] == State::kNew) stack.push_back(needed);
    });
    std::reverse(stack.begin() + begin, stack.end());
  }
}

}  // namespace flipsat::hlo
