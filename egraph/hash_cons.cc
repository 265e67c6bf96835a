#include "egraph/hash_cons.h"

namespace flipsat::egraph {

uint32_t HashCons::locate(const NodeKey& key, NodeId id) const {
  uint32_t at = home(key);
  while (slots_[at].id != id) {
    assert(slots_[at].id != kNoId);
    at = next(at);
  }
  return at;
}

void HashCons::erase(const NodeKey& key, NodeId id) {
  uint32_t hole = locate(key, id);
  for (uint32_t at = next(hole); slots_[at].id != kNoId; at = next(at)) {
    // A slot may move back into the hole unless its home lies behind the hole (cyclically).
    const uint32_t from_home = (at - home(slots_[at].key)) & mask_;
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
    if (slot.id != kNoId) place(slot.key, slot.id);
  }
}

}  // namespace flipsat::egraph
