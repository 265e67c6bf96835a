#include "verify/neighbourhood_key.h"

#include <map>
#include <type_traits>

#include "verify/same_operation.h"

namespace flipsat::verify {
namespace {

using hlo::AttributeKey;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;

void append(int64_t number, std::string& key) {
  key += std::to_string(number);
  key += ',';
}

class KeyWriter {
 public:
  KeyWriter(const Module& module, std::string& key) : module_(module), key_(key) {}

  void number(InstructionId id) { numbers_.emplace(id, numbers_.size()); }

  void append_line(InstructionId id) {
    const Instruction& in = module_[id];
    key_ += to_string(in.opcode);
    key_ += to_string(in.shape);
    if (in.parameter_number >= 0) append(in.parameter_number, key_);
    if (in.literal) append_literal(*in.literal);
    for (const hlo::Attribute& attribute : in.attributes) {
      if (!is_remark(in, attribute.key) && attribute.key != AttributeKey::kChannelId) {
        append_attribute(attribute);
      }
    }
    key_ += '(';
    for (InstructionId operand : in.operands) append(numbers_.at(operand), key_);
    key_ += ")\n";
    number(id);
  }

 private:
  void append_literal(const hlo::Literal& literal) {
    key_ += to_string(literal.shape);
    key_.append(literal.bytes.begin(), literal.bytes.end());
    for (const auto& part : literal.parts) append_literal(*part);
  }

  void append_attribute(const hlo::Attribute& attribute) {
    key_ += attribute.spelled_name();
    key_ += '=';
    std::visit([this, &attribute](const auto& value) { append_value(value, attribute); },
               attribute.value);
    key_ += ';';
  }

  template <typename Value>
  void append_value(const Value& value, const hlo::Attribute& attribute) {
    if constexpr (std::is_same_v<Value, std::string>) {
      key_ += value;
    } else if constexpr (std::is_same_v<Value, double>) {
      key_ += std::to_string(value);
    } else if constexpr (std::is_integral_v<Value>) {
      append(value, key_);
    } else if constexpr (std::is_same_v<Value, hlo::IntList>) {
      for (int64_t number : value) append(number, key_);
    } else if constexpr (std::is_same_v<Value, hlo::IntLists>) {
      append_lists(value);
    } else if constexpr (std::is_same_v<Value, hlo::ReplicaGroupsRef>) {
      if (value) append_lists(*value);
    } else if constexpr (std::is_same_v<Value, hlo::SliceDims>) {
      for (const hlo::SliceDim& dim : value) append_lists({{dim.start, dim.limit, dim.stride}});
    } else if constexpr (std::is_same_v<Value, hlo::PaddingDims>) {
      for (const hlo::PaddingDim& dim : value) append_lists({{dim.low, dim.high, dim.interior}});
    } else if constexpr (std::is_same_v<Value, hlo::ComputationList>) {
      for (ComputationId id : value) append_computation(id);
    } else {
      key_ += attribute.text;
    }
  }

  void append_lists(const hlo::IntLists& lists) {
    for (const auto& list : lists) {
      for (int64_t number : list) append(number, key_);
      key_ += '|';
    }
  }

  void append_computation(ComputationId id) {
    key_ += '{';
    KeyWriter lines(module_, key_);
    for (InstructionId line : module_.computations[id].instructions) lines.append_line(line);
    key_ += "root ";
    append(lines.numbers_.at(module_.computations[id].root), key_);
    key_ += '}';
  }

  const Module& module_;
  std::string& key_;
  std::map<InstructionId, int64_t> numbers_;
};

}  // namespace

std::string key_of(const Module& before, const Module& after, const Neighbourhood& around,
                   const Pairing& pairing, const std::vector<FedArray>& fed) {
  std::string key;
  KeyWriter left(before, key);
  KeyWriter right(after, key);
  for (InstructionId id : around.border) {
    key += to_string(before[id].shape) + '\n';
    left.number(id);
    right.number(pairing.after_of(id));
  }
  for (const FedArray& array : fed) {
    for (uint32_t block : array.blocks) append(block, key);
    key += '|';
    for (int64_t number : array.numbers) append(number, key);
    key += '\n';
  }
  for (InstructionId id : around.before) left.append_line(id);
  key += "and\n";
  for (InstructionId id : around.after) right.append_line(id);
  return key;
}

}  // namespace flipsat::verify
