#include "egraph/hash_cons.h"

namespace flipsat::egraph {

uint32_t HashCons::locate(uint32_t hash, NodeId id) const {
  uint32_t at = home(hash);
  while (slots_[at].id != id) {
    assert(slots_[at].id != kNoId);
    at = next(at);
  }
  return at;
}

void HashCons::erase(uint32_t hash, NodeId id) {
  uint32_t hole = locate(hash, id);
  for (uint32_t at = next(hole); slots_[at].id != kNoId; at = next(at)) {
    // A slot may move back into the hole unless its home lies behind the hole (cyclically).
    const uint32_t from_home = (at - home(slots_[at].hash)) & mask_;
    const uint32_t from_hole = (at - hole) & mask_;
    if (from_home < from_hole) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = Slot();
  --count_;
}

void HashCons::resize(size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  mask_ = static_cast<uint32_t>(slots - 1);
  for (const Slot& slot : old) {
    if (slot.id != kNoId) place(slot.hash, slot.id);
  }
}

}  // namespace flipsat::egraph
