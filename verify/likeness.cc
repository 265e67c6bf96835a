#include "verify/likeness.h"

namespace flipsat::verify {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

constexpr size_t kMostOperations = 64;

enum Word : uint64_t { kLeafWord = 1, kSeenWord, kOperationWord };

// Operations that depend on nothing but their attributes and the elements of their operands.
bool is_plain(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kAllToAll:
    case Opcode::kBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kConcatenate:
    case Opcode::kConstant:
    case Opcode::kCopy:
    case Opcode::kDot:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kPartitionId:
    case Opcode::kReduce:
    case Opcode::kReduceScatter:
    case Opcode::kReplicaId:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    default:
      return hlo::elementwise_arity(opcode) > 0;
  }
}

}  // namespace

struct Likeness::Walk {
  Side& side;
  LeafSource& leaves;
  Signature& text;
  std::map<uint64_t, uint64_t>& keys;  // of leaves, in the order of their first use
  std::map<std::pair<InstructionId, uint32_t>, uint64_t> seen;
};

uint64_t Likeness::Side::number_of(InstructionId id) {
  auto [found, is_new] = numbers.try_emplace(id, 0);
  if (!is_new) return found->second;
  const hlo::Instruction& in = module[id];
  std::vector<uint64_t> key = {static_cast<uint64_t>(in.opcode),
                               static_cast<uint64_t>(in.shape.type)};
  for (int64_t size : in.shape.dims) key.push_back(static_cast<uint64_t>(size));
  if (in.literal) key.push_back(in.literal->bits_at(0).value_or(0));
  std::vector<InstructionId>& list = alike[key];
  InstructionId first = id;
  for (InstructionId other : list) {
    if (operations.same_operation(other, id)) {
      first = other;
      break;
    }
  }
  if (first == id) list.push_back(id);
  return found->second = first;
}

uint64_t Likeness::number_of(const hlo::DevicePartition* partition) {
  if (!partition) return 0;
  auto [found, is_new] = partitions_.try_emplace(partition, 0);
  if (is_new) {
    std::vector<int64_t> blocks(partition->blocks().begin(), partition->blocks().end());
    found->second = blocks_.try_emplace(std::move(blocks), blocks_.size() + 1).first->second;
  }
  return found->second;
}

void Likeness::write_leaf(Walk& walk, const Leaf& leaf, const hlo::Shape& shape, uint32_t part) {
  uint64_t number = walk.keys.try_emplace(leaf.key, walk.keys.size()).first->second;
  walk.text.insert(walk.text.end(),
                   {kLeafWord, number, part, static_cast<uint64_t>(shape.type), shape.dims.size()});
  walk.text.insert(walk.text.end(), shape.dims.begin(), shape.dims.end());
  walk.text.push_back(number_of(leaf.equal_on));
  walk.text.push_back(static_cast<uint64_t>(leaf.starts));
  walk.text.push_back(leaf.on_devices ? leaf.on_devices->size() : 0);
  if (leaf.on_devices) {
    walk.text.insert(walk.text.end(), leaf.on_devices->begin(), leaf.on_devices->end());
  }
}

bool Likeness::look(Walk& walk, InstructionId id, uint32_t part, bool open) {
  const hlo::Instruction& in = walk.side.module[id];
  if (!open) {
    if (const Leaf* leaf = walk.leaves.leaf(id, part)) {
      write_leaf(walk, *leaf, part_shape(in.shape, part), part);
      return true;
    }
  }
  auto [found, is_new] = walk.seen.try_emplace({id, part}, walk.seen.size());
  if (!is_new) {
    walk.text.insert(walk.text.end(), {kSeenWord, found->second});
    return true;
  }
  if (walk.seen.size() > kMostOperations) return false;
  if (in.opcode == Opcode::kGetTupleElement) {
    const hlo::Shape& tuple = walk.side.module[in.operands[0]].shape;
    if (!tuple.is_tuple() || in.tuple_index() < 0) return false;
    size_t offset = hlo::leaf_offset(tuple, static_cast<size_t>(in.tuple_index()));
    return look(walk, in.operands[0], part + static_cast<uint32_t>(offset), false);
  }
  if (in.opcode == Opcode::kTuple) {
    for (InstructionId operand : in.operands) {
      uint32_t count = part_count(walk.side.module[operand].shape);
      if (part < count) return look(walk, operand, part, false);
      part -= count;
    }
    return false;
  }
  if (!is_plain(in.opcode)) return false;
  walk.text.insert(walk.text.end(), {kOperationWord, walk.side.number_of(id), part,
                                     static_cast<uint64_t>(in.operands.size())});
  for (InstructionId operand : in.operands) {
    if (!walk.side.module[operand].shape.is_array()) return false;
    if (!look(walk, operand, 0, false)) return false;
  }
  return true;
}

std::optional<Likeness::Signature> Likeness::of(InstructionId before, LeafSource& before_leaves,
                                                InstructionId after, LeafSource& after_leaves,
                                                bool open) {
  Signature text;
  std::map<uint64_t, uint64_t> keys;
  for (bool is_before : {true, false}) {
    Walk walk{
        is_before ? before_ : after_, is_before ? before_leaves : after_leaves, text, keys, {}};
    InstructionId root = is_before ? before : after;
    uint32_t parts = part_count(walk.side.module[root].shape);
    for (uint32_t part = 0; part < parts; ++part) {
      if (!look(walk, root, part, open)) return std::nullopt;
    }
  }
  return text;
}

}  // namespace flipsat::verify
