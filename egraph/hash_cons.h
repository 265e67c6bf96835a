// The hash-cons: node ids found by content.
//
// Open addressing with linear probing over 4-byte slots: 29 bits of node id and 3 bits of the hash,
// which spare most looks at nodes that are not meant. The content is the node's own record, so it
// is stored once; the table costs about 7 bytes a node. A look-up touches a slot and a record.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "egraph/grow_array.h"
#include "egraph/ids.h"

namespace flipsat::egraph {

class HashCons {
 public:
  // Ids below this fit.
  static constexpr uint32_t kMaxIds = (1u << 29) - 2;

  // The id for which `is_same(id)` holds among those of this hash, or kNoId.
  template <class IsSame>
  NodeId find(uint32_t hash, IsSame&& is_same) const {
    if (slots_.empty()) return kNoId;
    const uint32_t tag = hash & kTagMask;
    for (uint32_t at = home(hash);; at = next(at)) {
      const uint32_t slot = slots_[at];
      if (slot == kEmpty) return kNoId;
      if ((slot & kTagMask) == tag && slot != kTomb && is_same(slot & kIdMask)) {
        return slot & kIdMask;
      }
    }
  }

  // The id must not be there. `hash_of(id)` is asked when the table grows, for each id below
  // `bound` for which `holds(id)`.
  template <class Holds, class HashOf>
  void insert(uint32_t hash, NodeId id, uint32_t bound, Holds&& holds, HashOf&& hash_of) {
    if (used_ >= most_used_) {
      rebuild(std::bit_ceil(size_t{count_} * 2 + 16), bound, holds, hash_of);
    }
    place(hash, id);
    ++count_;
  }

  // The id must be there under this hash.
  void erase(uint32_t hash, NodeId id) {
    const uint32_t at = locate(hash, id);
    // At the end of a run a slot can be empty again.
    if (slots_[next(at)] == kEmpty) {
      slots_[at] = kEmpty;
      --used_;
    } else {
      slots_[at] = kTomb;
    }
    --count_;
  }
  void replace(uint32_t hash, NodeId id, NodeId by) {
    slots_[locate(hash, id)] = by | (hash & kTagMask);
  }

  template <class Holds, class HashOf>
  void reserve(size_t count, uint32_t bound, Holds&& holds, HashOf&& hash_of) {
    const size_t wanted = std::bit_ceil(count * 10 / 7 + 16);
    if (wanted > slots_.size()) rebuild(wanted, bound, holds, hash_of);
  }

  // A hint that this will be looked up in a while.
  void prefetch(uint32_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(hash)]);
  }

  uint64_t size() const { return count_; }

 private:
  static constexpr uint32_t kIdMask = (1u << 29) - 1;
  static constexpr uint32_t kTagMask = ~kIdMask;
  static constexpr uint32_t kEmpty = UINT32_MAX;
  static constexpr uint32_t kTomb = UINT32_MAX - 1;  // held an id once

  uint32_t home(uint32_t hash) const { return hash & mask_; }
  uint32_t next(uint32_t at) const { return (at + 1) & mask_; }
  uint32_t locate(uint32_t hash, NodeId id) const {
    const uint32_t wanted = id | (hash & kTagMask);
    uint32_t at = home(hash);
    while (slots_[at] != wanted) {
      assert(slots_[at] != kEmpty);
      at = next(at);
    }
    return at;
  }
  void place(uint32_t hash, NodeId id) {
    assert(id < kMaxIds);
    uint32_t at = home(hash);
    while (slots_[at] != kEmpty && slots_[at] != kTomb) at = next(at);
    if (slots_[at] == kEmpty) ++used_;
    slots_[at] = id | (hash & kTagMask);
  }
  // From the nodes themselves, so that the old table need not stay.
  template <class Holds, class HashOf>
  void rebuild(size_t slots, uint32_t bound, Holds&& holds, HashOf&& hash_of) {
    slots_.release();
    slots_.resize(slots, kEmpty);
    mask_ = static_cast<uint32_t>(slots - 1);
    most_used_ = static_cast<uint32_t>(slots / 10 * 7);
    used_ = 0;
    for (NodeId id = 0; id < bound; ++id) {
      if (holds(id)) place(hash_of(id), id);
    }
  }

  GrowArray<uint32_t> slots_;  // a power of two of them
  uint32_t mask_ = 0;
  uint32_t count_ = 0;
  uint32_t used_ = 0;  // ids and tombs
  uint32_t most_used_ = 0;
};

}  // namespace flipsat::egraph
