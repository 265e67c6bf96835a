#include "passes/program_identity.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <type_traits>
#include <variant>

#include "passes/post_order.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::Instruction;
using hlo::InstructionId;

// The body of MurmurHash3 (x64, 128 bits), a word at a time.
class Hasher {
 public:
  void add(uint64_t word) {
    constexpr uint64_t kFirst = 0x87c37b91114253d5, kSecond = 0x4cf5ad432745937f;
    high_ ^= std::rotl(word * kFirst, 31) * kSecond;
    high_ = (std::rotl(high_, 27) + low_) * 5 + 0x52dce729;
    low_ ^= std::rotl(word * kSecond, 33) * kFirst;
    low_ = (std::rotl(low_, 31) + high_) * 5 + 0x38495ab5;
    ++words_;
  }
  void add(const Identity& identity) {
    add(identity.high);
    add(identity.low);
  }
  void add_bytes(const void* data, size_t size) {
    add(size);
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t at = 0; at < size; at += 8) {
      uint64_t word = 0;
      for (size_t i = at; i < std::min(at + 8, size); ++i) word = word << 8 | bytes[i];
      add(word);
    }
  }
  void add(std::string_view text) { add_bytes(text.data(), text.size()); }
  template <class Number>
  void add_list(const std::vector<Number>& list) {
    add(list.size());
    for (const Number& number : list) add(static_cast<uint64_t>(number));
  }

  Identity finish() const {
    uint64_t high = high_ ^ words_, low = low_ ^ words_;
    high += low;
    low += high;
    high = mixed(high);
    low = mixed(low);
    high += low;
    return {high, low + high};
  }

 private:
  static uint64_t mixed(uint64_t word) {
    word = (word ^ word >> 33) * 0xff51afd7ed558ccd;
    word = (word ^ word >> 33) * 0xc4ceb9fe1a85ec53;
    return word ^ word >> 33;
  }

  uint64_t high_ = 0, low_ = 0, words_ = 0;
};

void add_shape(const hlo::Shape& shape, bool with_order_of_dims, Hasher& hasher) {
  hasher.add(static_cast<uint64_t>(shape.type));
  hasher.add(shape.dims.size());
  for (int64_t dim : shape.dims) hasher.add(static_cast<uint64_t>(dim));
  hasher.add(shape.dynamic);
  if (shape.layout) {
    hasher.add(shape.layout->extras);
    hasher.add(static_cast<uint64_t>(shape.layout->element_bits));
    hasher.add(static_cast<uint64_t>(shape.layout->memory_space));
    if (with_order_of_dims) hasher.add_list(shape.layout->minor_to_major);
  } else {
    // As a layout that says nothing but the order of dims.
    for (int i = 0; i < 3; ++i) hasher.add(uint64_t{0});
    if (with_order_of_dims) hasher.add(~uint64_t{0});
  }
  hasher.add(shape.parts ? shape.parts->size() : 0);
  if (!shape.parts) return;
  for (const hlo::Shape& part : *shape.parts) add_shape(part, with_order_of_dims, hasher);
}

void add_literal(const hlo::Literal& literal, Hasher& hasher) {
  hasher.add_bytes(literal.bytes.data(), literal.bytes.size());
  hasher.add(literal.parts.size());
  for (const hlo::LiteralRef& part : literal.parts) add_literal(*part, hasher);
}

bool is_elided(const hlo::Literal& literal) {
  return literal.elided ||
         std::any_of(literal.parts.begin(), literal.parts.end(),
                     [](const hlo::LiteralRef& part) { return is_elided(*part); });
}

// Callees, channels and predecessors are not among the words of an instruction.
void add_value(const hlo::Attribute& attribute, Hasher& hasher) {
  hasher.add(attribute.value.index());
  std::visit(
      [&](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          hasher.add(attribute.text);
        } else if constexpr (std::is_same_v<Value, std::string>) {
          hasher.add(std::string_view(value));
        } else if constexpr (std::is_same_v<Value, double>) {
          hasher.add(std::bit_cast<uint64_t>(value));
        } else if constexpr (std::is_same_v<Value, hlo::IntList>) {
          hasher.add_list(value);
        } else if constexpr (std::is_same_v<Value, hlo::IntLists>) {
          hasher.add(value.size());
          for (const hlo::IntList& list : value) hasher.add_list(list);
        } else if constexpr (std::is_same_v<Value, hlo::ReplicaGroupsRef>) {
          hasher.add(value ? value->size() : ~uint64_t{0});
          if (!value) return;
          for (const std::vector<int64_t>& group : *value) hasher.add_list(group);
        } else if constexpr (std::is_same_v<Value, hlo::SliceDims>) {
          hasher.add(value.size());
          for (const hlo::SliceDim& dim : value) {
            hasher.add_list(std::vector<int64_t>{dim.start, dim.limit, dim.stride});
          }
        } else if constexpr (std::is_same_v<Value, hlo::PaddingDims>) {
          hasher.add(value.size());
          for (const hlo::PaddingDim& dim : value) {
            hasher.add_list(std::vector<int64_t>{dim.low, dim.high, dim.interior});
          }
        } else if constexpr (std::is_arithmetic_v<Value>) {
          hasher.add(static_cast<uint64_t>(value));
        }
      },
      attribute.value);
}

}  // namespace

IdentityFinder::IdentityFinder(const hlo::Module& base, Mode mode)
    : base_(base),
      mode_(mode),
      words_(base.instructions.size()),
      has_words_(base.instructions.size()) {}

Identity IdentityFinder::of(const hlo::Module& program) { return walk(program, false); }

Identity IdentityFinder::of_live(const hlo::Module& program) { return walk(program, true); }

// Computations that were added are told by those that call them.
Identity IdentityFinder::walk(const hlo::Module& program, bool live_only) {
  Hasher hasher;
  std::unordered_map<int64_t, uint64_t> channels;
  position_.resize(program.instructions.size());
  for (hlo::ComputationId computation = 0; computation < base_.computations.size(); ++computation) {
    const std::vector<InstructionId> order =
        live_only ? live_post_order(program, computation) : post_order(program, computation);
    for (size_t i = 0; i < order.size(); ++i) position_[order[i]] = static_cast<uint32_t>(i);
    hasher.add(order.size());
    hasher.add(position_[program.computations[computation].root]);
    for (InstructionId id : order) {
      const Instruction& instruction = program[id];
      hasher.add(words_of(program, id));
      for (InstructionId operand : instruction.operands) hasher.add(position_[operand]);
      for (InstructionId before : instruction.control_predecessors()) hasher.add(position_[before]);
      const std::optional<int64_t> channel = instruction.channel_id();
      if (channel && mode_ == Mode::kLiteral) {
        hasher.add(channels.try_emplace(*channel, channels.size()).first->second);
      }
    }
  }
  return hasher.finish();
}

// An edit that changes more than operands marks the instruction.
const Identity& IdentityFinder::words_of(const hlo::Module& program, InstructionId id) {
  if (id >= words_.size() || program[id].touched) {
    made_ = describe(program, program[id]);
    return made_;
  }
  if (!has_words_[id]) {
    words_[id] = describe(program, program[id]);
    has_words_[id] = true;
  }
  return words_[id];
}

Identity IdentityFinder::describe(const hlo::Module& program,
                                  const Instruction& instruction) const {
  const bool literal = mode_ == Mode::kLiteral;
  Hasher hasher;
  hasher.add(static_cast<uint64_t>(instruction.opcode));
  hasher.add(instruction.wrapped ? static_cast<uint64_t>(*instruction.wrapped) + 1 : 0);
  add_shape(instruction.shape, literal, hasher);
  hasher.add(static_cast<uint64_t>(instruction.parameter_number));
  hasher.add(instruction.operands.size());
  hasher.add(instruction.control_predecessors().size());
  hasher.add(instruction.channel_id().has_value());
  if (instruction.literal) {
    // Two elided constants are never known to be equal.
    if (is_elided(*instruction.literal)) {
      hasher.add(static_cast<uint64_t>(&instruction - program.instructions.data()));
    }
    add_literal(*instruction.literal, hasher);
  }
  // Printed order is no part of what they say.
  std::vector<const hlo::Attribute*> attributes;
  for (const hlo::Attribute& attribute : instruction.attributes) {
    switch (attribute.key) {
      case AttributeKey::kMetadata:
      case AttributeKey::kStatistics:
      case AttributeKey::kOrigin:
      case AttributeKey::kChannelId:
      case AttributeKey::kControlPredecessors:
        continue;
      case AttributeKey::kSharding:
        if (!literal && instruction.opcode != hlo::Opcode::kParameter) continue;
        break;
      default:
        break;
    }
    attributes.push_back(&attribute);
  }
  std::stable_sort(attributes.begin(), attributes.end(),
                   [](const auto* a, const auto* b) { return a->key < b->key; });
  for (const hlo::Attribute* attribute : attributes) {
    hasher.add(attribute->spelled_name());
    if (const auto* callees = std::get_if<hlo::ComputationList>(&attribute->value)) {
      for (hlo::ComputationId computation : *callees) hasher.add(callee(program, computation));
    } else {
      add_value(*attribute, hasher);
    }
  }
  return hasher.finish();
}

// Passes leave a computation without collectives as it is, so it may be told by what it says: a
// reducer that was added is the same as one that was there. Any other is itself.
Identity IdentityFinder::callee(const hlo::Module& program, hlo::ComputationId computation) const {
  const hlo::Computation& callee = program.computations[computation];
  const bool is_leaf =
      std::all_of(callee.instructions.begin(), callee.instructions.end(), [&](InstructionId id) {
        return !hlo::is_collective(program[id].opcode) && program[id].called_computations().empty();
      });
  Hasher hasher;
  if (!is_leaf) {
    hasher.add(computation);
    return hasher.finish();
  }
  std::unordered_map<InstructionId, uint64_t> position;
  for (InstructionId id : post_order(program, computation)) {
    hasher.add(describe(program, program[id]));
    for (InstructionId operand : program[id].operands) hasher.add(position[operand]);
    position.emplace(id, position.size());
  }
  hasher.add(position[callee.root]);
  return hasher.finish();
}

// Only what the root needs and what has an effect of its own.
std::vector<InstructionId> IdentityFinder::live_post_order(const hlo::Module& program,
                                                           hlo::ComputationId computation) const {
  const hlo::Computation& listed = program.computations[computation];
  std::unordered_map<InstructionId, bool> is_live;
  for (InstructionId id : listed.instructions) {
    const Instruction& instruction = program[id];
    for (InstructionId before : instruction.control_predecessors()) is_live[before] = true;
    if (id == listed.root || instruction.opcode == hlo::Opcode::kParameter ||
        !instruction.control_predecessors().empty() || hlo::has_side_effect(program, instruction)) {
      is_live[id] = true;
    }
  }
  for (size_t i = listed.instructions.size(); i-- > 0;) {
    const InstructionId id = listed.instructions[i];
    if (!is_live[id]) continue;
    for (InstructionId operand : program[id].operands) is_live[operand] = true;
  }
  std::vector<InstructionId> live = listed.instructions;
  std::erase_if(live, [&](InstructionId id) { return !is_live[id]; });
  return post_order(program, live);
}

}  // namespace flipsat::passes
