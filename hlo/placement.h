// The order of a computation's list after an edit.
//
// Instructions that were there come in their old order, each preceded by the added ones that it
// needs first, so added ones stand as late as their first user allows. One that now needs something
// from further down waits and follows that at once. Linear in the list and its operands.
#pragma once

#include <unordered_map>
#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

class Placement {
 public:
  // `added` by instruction id. One object serves one computation after the other.
  Placement(const Module& module, const std::vector<bool>& added);

  // Next in the old order, or an added one that nobody uses; what it needs comes along.
  void place(InstructionId id);

  // The list so far; the object then starts afresh. Throws std::logic_error if something still
  // waits, which is so exactly if the edited computation has a cycle.
  std::vector<InstructionId> take();

 private:
  enum class State : uint8_t { kNew, kEntered, kPlaced };

  bool is_ready(InstructionId id) const;
  InstructionId first_missing(InstructionId id) const;
  void place_with_added(InstructionId id);

  const Module& module_;
  const std::vector<bool>& added_;
  std::vector<State> states_;
  std::unordered_map<InstructionId, std::vector<InstructionId>> waiting_;
  std::vector<InstructionId> list_;
};

}  // namespace flipsat::hlo
