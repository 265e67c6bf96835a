// The hash-cons: node ids found by content.
//
// Open addressing with linear probing over 16-byte slots: the node's key and its id. Nodes of up to
// two children, nearly all that there are, have their whole content in the key, so that finding one
// costs one cache miss and never looks into the node arrays; for wider nodes the key has a hash,
// and the caller compares the children. Removal shifts the following slots back, so that there are
// no tombstones and no stale keys.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "egraph/ids.h"

namespace flipsat::egraph {

// What a node is found by: its operator and canonical children.
struct NodeKey {
  static constexpr uint32_t kAbsent = UINT32_MAX;    // no id of a class
  static constexpr uint32_t kWide = UINT32_MAX - 1;  // nor is this

  NodeKey() = default;
  NodeKey(OperatorId op, std::span<const ClassId> children) : op(op) {
    if (children.size() > 2) {
      first = fold(children);
      second = kWide;
      return;
    }
    if (!children.empty()) first = children[0];
    if (children.size() == 2) second = children[1];
  }

  bool operator==(const NodeKey&) const = default;
  // Equal wide keys may be of different nodes.
  bool is_wide() const { return second == kWide; }
  uint32_t hash() const {
    uint64_t mixed = ((uint64_t{first} << 32) | second) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 32) ^ op) * 0xd6e8feb86659fd93u;
    return static_cast<uint32_t>(mixed >> 32);
  }

  OperatorId op = 0;
  uint32_t first = kAbsent;   // the first child, or a hash of all
  uint32_t second = kAbsent;  // the second child, or kWide

 private:
  static uint32_t fold(std::span<const ClassId> children) {
    uint64_t mixed = children.size();
    for (const ClassId child : children) {
      mixed = (mixed ^ (mixed >> 32) ^ child) * 0x9e3779b97f4a7c15u;
    }
    return static_cast<uint32_t>(mixed >> 32);
  }
};

class HashCons {
 public:
  // The id stored under `key`, or kNoId. `is_same(id)` decides between equal wide keys.
  template <class IsSame>
  NodeId find(const NodeKey& key, IsSame&& is_same) const {
    if (slots_.empty()) return kNoId;
    for (uint32_t at = home(key);; at = next(at)) {
      const Slot& slot = slots_[at];
      if (slot.id == kNoId) return kNoId;
      if (slot.key == key && (!key.is_wide() || is_same(slot.id))) return slot.id;
    }
  }

  // The id must not be there.
  void insert(const NodeKey& key, NodeId id) {
    if ((count_ + 1) * 4 > slots_.size() * 3) resize(slots_.empty() ? 16 : slots_.size() * 2);
    place(key, id);
    ++count_;
  }

  // The id must be there under this key.
  void erase(const NodeKey& key, NodeId id);
  void replace(const NodeKey& key, NodeId id, NodeId by) { slots_[locate(key, id)].id = by; }

  void reserve(size_t count) {
    const size_t wanted = std::bit_ceil(count * 4 / 3 + 1);
    if (wanted > slots_.size()) resize(wanted);
  }
  uint64_t size() const { return count_; }
  uint64_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    NodeKey key;
    NodeId id = kNoId;
  };

  uint32_t home(const NodeKey& key) const { return key.hash() & mask_; }
  uint32_t next(uint32_t at) const { return (at + 1) & mask_; }
  uint32_t locate(const NodeKey& key, NodeId id) const;
  void place(const NodeKey& key, NodeId id) {
    uint32_t at = home(key);
    while (slots_[at].id != kNoId) at = next(at);
    slots_[at] = {key, id};
  }
  void resize(size_t slots);

  std::vector<Slot> slots_;  // a power of two of them
  uint32_t mask_ = 0;
  uint64_t count_ = 0;
};

}  // namespace flipsat::egraph
