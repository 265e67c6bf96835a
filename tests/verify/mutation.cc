#include "tests/verify/mutation.h"

#include <algorithm>
#include <functional>
#include <map>

#include "hlo/input_error.h"
#include "hlo/reducer.h"
#include "hlo/verifier.h"
#include "tests/random_programs/random.h"

namespace flipsat::verify::testing {
namespace {

using hlo::AttributeKey;
using hlo::ElementType;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

template <class T>
const T* value_of(const Instruction& in, AttributeKey key) {
  const hlo::Attribute* attribute = in.find(key);
  return attribute ? std::get_if<T>(&attribute->value) : nullptr;
}

class Mutator {
 public:
  Mutator(const Module& module, const hlo::DeviceCounts& counts, InstructionId at, uint64_t seed)
      : module_(module), counts_(counts), at_(at), random_(seed) {}

  std::vector<Mutant> run() {
    groups();
    group_mode();
    pairs();
    int_lists();
    slices();
    paddings();
    literals();
    reducers();
    opcodes();
    directions();
    tuple_index();
    operand_order();
    other_operands();
    narrowed_operands();
    left_out();
    return std::move(mutants_);
  }

 private:
  const Instruction& in() const { return module_[at_]; }

  // Keeps what `change` makes of a copy if that is well formed.
  void mutate(const std::string& kind, const std::function<void(Module&, Instruction&)>& change) {
    Mutant mutant{kind, module_};
    mutant.module[at_].touched = true;
    change(mutant.module, mutant.module[at_]);
    try {
      hlo::verify_module(mutant.module, counts_);
      if (!has_groups(mutant.module[at_])) return;
    } catch (const hlo::InputError&) {
      return;
    }
    mutants_.push_back(std::move(mutant));
  }

  // Every device is in a group of a collective.
  bool has_groups(const Instruction& in) const {
    if (!hlo::is_collective(in.opcode) || in.has(AttributeKey::kSourceTargetPairs)) return true;
    return hlo::device_groups(in, counts_) != nullptr;
  }

  void with_groups(const std::string& kind, hlo::ReplicaGroups groups) {
    mutate(kind, [&](Module&, Instruction& in) {
      in.set(AttributeKey::kReplicaGroups,
             std::make_shared<const hlo::ReplicaGroups>(std::move(groups)));
    });
  }

  void groups() {
    if (!hlo::is_collective(in().opcode)) return;
    const auto* written = value_of<hlo::ReplicaGroupsRef>(in(), AttributeKey::kReplicaGroups);
    if (!written || !*written || (*written)->empty()) return;
    const hlo::ReplicaGroups& groups = **written;
    if (groups[0].size() > 1) {
      hlo::ReplicaGroups changed = groups;
      std::swap(changed[0].front(), changed[0].back());
      with_groups("group permuted", changed);
      changed = groups;
      for (auto& group : changed) std::rotate(group.begin(), group.begin() + 1, group.end());
      with_groups("groups rotated", changed);
    }
    if (groups.size() > 1) {
      hlo::ReplicaGroups changed = groups;
      std::swap(changed.front().front(), changed.back().back());
      with_groups("members of two groups swapped", changed);
    }
  }

  void group_mode() {
    if (!hlo::is_collective(in().opcode) || !in().has(AttributeKey::kChannelId)) return;
    if (in().bool_attribute(AttributeKey::kUseGlobalDeviceIds, false)) {
      mutate("ids meant otherwise",
             [](Module&, Instruction& in) { in.erase(AttributeKey::kUseGlobalDeviceIds); });
    }
    mutate("groups by replica", [](Module&, Instruction& in) {
      in.erase(AttributeKey::kUseGlobalDeviceIds);
      in.erase(AttributeKey::kChannelId);
    });
  }

  void pairs() {
    const auto* written = value_of<hlo::IntLists>(in(), AttributeKey::kSourceTargetPairs);
    if (!written || written->empty()) return;
    mutate("a pair left out", [&](Module&, Instruction& in) {
      hlo::IntLists pairs = *written;
      pairs.pop_back();
      in.set(AttributeKey::kSourceTargetPairs, pairs);
    });
    if (written->size() < 2) return;
    mutate("targets swapped", [&](Module&, Instruction& in) {
      hlo::IntLists pairs = *written;
      std::swap(pairs.front()[1], pairs.back()[1]);
      in.set(AttributeKey::kSourceTargetPairs, pairs);
    });
  }

  // Dims, permutations, contracted dims: any two entries swapped, any entry moved.
  void int_lists() {
    for (AttributeKey key : {AttributeKey::kDimensions, AttributeKey::kLhsContractingDims,
                             AttributeKey::kRhsContractingDims, AttributeKey::kLhsBatchDims,
                             AttributeKey::kRhsBatchDims}) {
      const auto* written = value_of<hlo::IntList>(in(), key);
      if (!written) continue;
      for (size_t i = 0; i < written->size(); ++i) {
        for (size_t j = i + 1; j < written->size(); ++j) {
          mutate("dims swapped", [&](Module&, Instruction& in) {
            hlo::IntList dims = *written;
            std::swap(dims[i], dims[j]);
            in.set(key, dims);
          });
        }
        for (int64_t by : {-1, 1}) {
          mutate("another dim", [&](Module&, Instruction& in) {
            hlo::IntList dims = *written;
            dims[i] += by;
            in.set(key, dims);
          });
        }
      }
    }
    if (in().has(AttributeKey::kIotaDimension)) {
      for (int64_t by : {-1, 1}) {
        mutate("another dim", [&](Module&, Instruction& in) {
          in.set(AttributeKey::kIotaDimension,
                 in.int_attribute(AttributeKey::kIotaDimension, 0) + by);
        });
      }
    }
  }

  void slices() {
    const auto* written = value_of<hlo::SliceDims>(in(), AttributeKey::kSlice);
    if (!written) return;
    for (size_t dim = 0; dim < written->size(); ++dim) {
      for (int64_t by : {-1, 1}) {
        if ((*written)[dim].start + by < 0) continue;
        mutate("slice shifted", [&](Module&, Instruction& in) {
          hlo::SliceDims dims = *written;
          dims[dim].start += by;
          dims[dim].limit += by;
          in.set(AttributeKey::kSlice, dims);
        });
      }
    }
  }

  void paddings() {
    const auto* written = value_of<hlo::PaddingDims>(in(), AttributeKey::kPadding);
    if (!written) return;
    for (size_t dim = 0; dim < written->size(); ++dim) {
      for (int64_t by : {-1, 1}) {
        mutate("padding shifted", [&](Module&, Instruction& in) {
          hlo::PaddingDims dims = *written;
          dims[dim].low += by;
          dims[dim].high -= by;
          in.set(AttributeKey::kPadding, dims);
        });
      }
    }
  }

  // Offsets, tables, scalars.
  void literals() {
    if (in().opcode != Opcode::kConstant || !in().literal || in().literal->elided) return;
    if (!in().shape.is_array() || in().literal->bytes.empty()) return;
    const size_t width = static_cast<size_t>(hlo::byte_width(in().shape.type));
    auto with_bytes = [&](const std::string& kind,
                          const std::function<void(std::vector<uint8_t>&)>& change) {
      mutate(kind, [&](Module&, Instruction& in) {
        auto literal = std::make_shared<hlo::Literal>(*in.literal);
        change(literal->bytes);
        in.literal = std::move(literal);
      });
    };
    const size_t size = in().literal->bytes.size();
    if (in().shape.type == ElementType::kPred || hlo::is_integer(in().shape.type)) {
      const bool is_pred = in().shape.type == ElementType::kPred;
      with_bytes("constant off by one",
                 [&](std::vector<uint8_t>& bytes) { is_pred ? bytes[0] ^= 1 : bytes[0] += 1; });
      if (size > width) {
        with_bytes("table off by one at its end", [&](std::vector<uint8_t>& bytes) {
          uint8_t& last = bytes[size - width];
          is_pred ? last ^= 1 : last += 1;
        });
        with_bytes("table rotated", [&](std::vector<uint8_t>& bytes) {
          std::rotate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(width),
                      bytes.end());
        });
      }
    } else {
      with_bytes("constant of other bits",
                 [&](std::vector<uint8_t>& bytes) { bytes[width - 1] ^= 0x80; });
    }
  }

  void reducers() {
    const auto* called = value_of<hlo::ComputationList>(in(), AttributeKey::kToApply);
    if (!called || called->size() != 1) return;
    const auto reducer = hlo::recognise_reducer(module_, called->front());
    if (!reducer) return;
    using K = hlo::ReducerKind;
    for (K kind : {K::kAdd, K::kMultiply, K::kMaximum, K::kMinimum, K::kAnd, K::kOr}) {
      const bool is_logical = kind == K::kAnd || kind == K::kOr;
      if (kind == reducer->kind || is_logical != (reducer->type == ElementType::kPred)) continue;
      mutate("reducer changed", [&](Module& module, Instruction&) {
        const hlo::ComputationId other = hlo::find_or_add_reducer(module, kind, reducer->type);
        module[at_].set(AttributeKey::kToApply, hlo::ComputationList{other});
      });
    }
  }

  void opcodes() {
    static const std::map<Opcode, std::vector<Opcode>> kOthers = {
        {Opcode::kAdd, {Opcode::kSubtract, Opcode::kMaximum}},
        {Opcode::kSubtract, {Opcode::kAdd}},
        {Opcode::kMultiply, {Opcode::kAdd, Opcode::kDivide}},
        {Opcode::kDivide, {Opcode::kMultiply}},
        {Opcode::kMaximum, {Opcode::kMinimum}},
        {Opcode::kMinimum, {Opcode::kMaximum}},
        {Opcode::kAnd, {Opcode::kOr}},
        {Opcode::kOr, {Opcode::kAnd, Opcode::kXor}},
        {Opcode::kXor, {Opcode::kOr}},
        {Opcode::kNegate, {Opcode::kAbs, Opcode::kSign}},
        {Opcode::kAbs, {Opcode::kNegate}},
        {Opcode::kTanh, {Opcode::kSine}},
        {Opcode::kExponential, {Opcode::kExponentialMinusOne}},
        {Opcode::kFloor, {Opcode::kCeil}},
        {Opcode::kNot, {Opcode::kCopy}},
        {Opcode::kPartitionId, {Opcode::kReplicaId}},
        {Opcode::kReplicaId, {Opcode::kPartitionId}},
        {Opcode::kReverse, {Opcode::kCopy}},
    };
    const auto others = kOthers.find(in().opcode);
    if (others == kOthers.end()) return;
    for (Opcode other : others->second) {
      mutate("another operation", [&](Module&, Instruction& in) {
        in.opcode = other;
        if (other == Opcode::kCopy) in.erase(AttributeKey::kDimensions);
      });
    }
  }

  void directions() {
    if (in().opcode != Opcode::kCompare) return;
    for (const char* direction : {"EQ", "LT", "GE"}) {
      if (in().word(AttributeKey::kDirection) == direction) continue;
      mutate("another direction", [&](Module&, Instruction& in) {
        in.set(AttributeKey::kDirection, std::string(direction));
      });
    }
  }

  void tuple_index() {
    if (in().opcode != Opcode::kGetTupleElement) return;
    const hlo::Shape& tuple = module_[in().operands[0]].shape;
    const int64_t index = in().tuple_index();
    for (int64_t other = 0; other < static_cast<int64_t>(tuple.parts->size()); ++other) {
      if (other == index || !(*tuple.parts)[other].same_value_shape(in().shape)) continue;
      mutate("another element of a tuple",
             [&](Module&, Instruction& in) { in.set(AttributeKey::kIndex, other); });
      return;
    }
  }

  void operand_order() {
    for (size_t i = 0; i + 1 < in().operands.size(); ++i) {
      if (in().operands[i] == in().operands[i + 1]) continue;
      mutate("operands swapped",
             [&](Module&, Instruction& in) { std::swap(in.operands[i], in.operands[i + 1]); });
    }
  }

  // Up to two other values of the same shape for each operand, the nearest and a random one.
  void other_operands() {
    const auto& list = module_.computations[in().computation].instructions;
    const auto here = std::find(list.begin(), list.end(), at_);
    if (here == list.end()) return;
    for (size_t i = 0; i < in().operands.size() && i < 8; ++i) {
      const InstructionId operand = in().operands[i];
      std::vector<InstructionId> found;
      for (auto it = here; it != list.begin() && found.size() < 20;) {
        --it;
        if (*it == operand || !module_[*it].shape.same_value_shape(module_[operand].shape))
          continue;
        found.push_back(*it);
      }
      if (found.empty()) continue;
      std::vector<InstructionId> chosen{found.front()};
      if (found.size() > 1) chosen.push_back(random_.pick(found));
      for (InstructionId other : chosen) {
        mutate("another operand", [&](Module&, Instruction& in) { in.operands[i] = other; });
      }
    }
  }

  // operand -> convert back(convert narrow(operand))
  void narrowed_operands() {
    for (size_t i = 0; i < in().operands.size() && i < 3; ++i) {
      const hlo::Shape& shape = module_[in().operands[i]].shape;
      if (!shape.is_array()) continue;
      ElementType narrow = ElementType::kPred;
      if (hlo::is_float(shape.type) && hlo::bit_width(shape.type) > 8) {
        narrow = hlo::bit_width(shape.type) > 16 ? ElementType::kBF16 : ElementType::kF8E5M2;
      } else if (hlo::is_integer(shape.type) && hlo::bit_width(shape.type) > 8 &&
                 shape.rank() > 0) {
        narrow = ElementType::kS8;
      } else {
        continue;
      }
      mutate("narrowed", [&](Module& module, Instruction&) {
        InstructionId value = module[at_].operands[i];
        for (ElementType type : {narrow, shape.type}) {
          Instruction convert;
          convert.name = "mutant." + std::to_string(module.instructions.size());
          convert.opcode = Opcode::kConvert;
          convert.shape = shape.with_type(type);
          convert.operands = {value};
          convert.computation = module[at_].computation;
          convert.touched = true;
          value = static_cast<InstructionId>(module.instructions.size());
          module.instructions.push_back(std::move(convert));
          auto& list = module.computations[module[at_].computation].instructions;
          list.insert(std::find(list.begin(), list.end(), at_), value);
        }
        module[at_].operands[i] = value;
      });
    }
  }

  // A copy of an operand of the same shape instead.
  void left_out() {
    if (in().opcode == Opcode::kCopy || in().opcode == Opcode::kTuple) return;
    if (!in().shape.is_array()) return;
    for (InstructionId operand : in().operands) {
      if (!module_[operand].shape.same_value_shape(in().shape)) continue;
      mutate("left out", [&](Module&, Instruction& in) {
        in.opcode = Opcode::kCopy;
        in.operands = {operand};
        in.attributes.clear();
      });
    }
  }

  const Module& module_;
  const hlo::DeviceCounts& counts_;
  InstructionId at_;
  random_programs::Random random_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutants_of(const hlo::Module& module, const hlo::DeviceCounts& counts,
                               hlo::InstructionId at, uint64_t seed) {
  return Mutator(module, counts, at, seed).run();
}

std::vector<hlo::InstructionId> changed_instructions(const hlo::Module& before,
                                                     const hlo::Module& after) {
  std::vector<hlo::InstructionId> changed;
  for (hlo::ComputationId computation : after.order) {
    for (hlo::InstructionId id : after.computations[computation].instructions) {
      if (id >= before.instructions.size() || before[id].operands != after[id].operands) {
        changed.push_back(id);
      }
    }
  }
  return changed;
}

}  // namespace flipsat::verify::testing
