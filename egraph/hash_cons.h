// The hash-cons: node ids found by content.
//
// Open addressing with linear probing over 8-byte slots (hash, id). The content itself stays in the
// node arrays, stored once; the hash in the slot keeps most probes from looking there. Removal
// shifts the following slots back, so that there are no tombstones and no stale keys.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "egraph/ids.h"

namespace flipsat::egraph {

class HashCons {
 public:
  // The id stored under `hash` for which `is_same(id)` holds, or kNoId.
  template <class IsSame>
  NodeId find(uint32_t hash, IsSame&& is_same) const {
    if (slots_.empty()) return kNoId;
    for (uint32_t at = home(hash);; at = next(at)) {
      const Slot& slot = slots_[at];
      if (slot.id == kNoId) return kNoId;
      if (slot.hash == hash && is_same(slot.id)) return slot.id;
    }
  }

  // The id must not be there.
  void insert(uint32_t hash, NodeId id) {
    if ((count_ + 1) * 4 > slots_.size() * 3) resize(slots_.empty() ? 16 : slots_.size() * 2);
    place(hash, id);
    ++count_;
  }

  // Both must be there under this hash.
  void erase(uint32_t hash, NodeId id);
  void replace(uint32_t hash, NodeId id, NodeId by) { slots_[locate(hash, id)].id = by; }

  void reserve(size_t count) {
    const size_t wanted = std::bit_ceil(count * 4 / 3 + 1);
    if (wanted > slots_.size()) resize(wanted);
  }
  uint64_t size() const { return count_; }
  uint64_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t hash = 0;
    NodeId id = kNoId;
  };

  uint32_t home(uint32_t hash) const { return hash & mask_; }
  uint32_t next(uint32_t at) const { return (at + 1) & mask_; }
  uint32_t locate(uint32_t hash, NodeId id) const;
  void place(uint32_t hash, NodeId id) {
    uint32_t at = home(hash);
    while (slots_[at].id != kNoId) at = next(at);
    slots_[at] = {hash, id};
  }
  void resize(size_t slots);

  std::vector<Slot> slots_;  // a power of two of them
  uint32_t mask_ = 0;
  uint64_t count_ = 0;
};

}  // namespace flipsat::egraph
