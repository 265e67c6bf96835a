#include <algorithm>
#include <bit>
#include <functional>
#include <unordered_map>

#include "hlo/reducer.h"

namespace flipsat::hlo {
namespace {

// Attributes that say where an instruction came from or how to present it, not what it computes.
bool is_annotation(AttributeKey key) {
  switch (key) {
    case AttributeKey::kMetadata:
    case AttributeKey::kOrigin:
    case AttributeKey::kStatistics:
    case AttributeKey::kSharding:
    case AttributeKey::kFrontendAttributes:
      return true;
    default:
      return false;
  }
}

// Appends a value so that no two values look alike: numbers are set apart, strings carry lengths.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void number(int64_t value) { out_ += std::to_string(value) + ","; }
  void text(std::string_view value) {
    number(static_cast<int64_t>(value.size()));
    out_ += value;
  }
  void numbers(const std::vector<int64_t>& values) {
    number(static_cast<int64_t>(values.size()));
    for (int64_t value : values) number(value);
  }
  void lists(const std::vector<std::vector<int64_t>>& values) {
    number(static_cast<int64_t>(values.size()));
    for (const auto& value : values) numbers(value);
  }

 private:
  std::string& out_;
};

class Fingerprinter {
 public:
  explicit Fingerprinter(const Module& module) : module_(module) {}

  std::string of(ComputationId computation) {
    auto [it, is_new] = done_.emplace(computation, std::string());
    if (!is_new) return it->second;  // also stops at a computation that calls itself
    std::string text = write(module_.computations[computation]);
    done_[computation] = text;
    return text;
  }

 private:
  // What an instruction is, apart from its operands.
  std::string head(const Instruction& instruction) {
    std::string out;
    Writer writer(out);
    writer.text(to_string(instruction.opcode));
    if (instruction.wrapped) writer.text(to_string(*instruction.wrapped));
    writer.text(to_string_without_layout(instruction.shape));
    writer.number(instruction.parameter_number);
    if (instruction.literal) literal(*instruction.literal, instruction, writer);
    std::vector<std::string> attributes;
    for (const Attribute& attribute : instruction.attributes) {
      if (is_annotation(attribute.key)) continue;
      std::string one;
      Writer attribute_writer(one);
      attribute_writer.text(attribute.spelled_name());
      value(attribute, attribute_writer);
      attributes.push_back(std::move(one));
    }
    std::sort(attributes.begin(), attributes.end());
    for (const std::string& attribute : attributes) writer.text(attribute);
    return out;
  }

  void literal(const Literal& value, const Instruction& instruction, Writer& writer) {
    // An elided constant equals nothing but itself.
    if (value.elided) writer.text("elided " + std::to_string(&instruction - &module_[0]));
    writer.text(
        std::string_view(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()));
    writer.number(static_cast<int64_t>(value.parts.size()));
    for (const auto& part : value.parts) literal(*part, instruction, writer);
  }

  void value(const Attribute& attribute, Writer& writer) {
    const AttributeValue& value = attribute.value;
    writer.number(static_cast<int64_t>(value.index()));
    if (const auto* flag = std::get_if<bool>(&value)) {
      writer.number(*flag);
    } else if (const auto* integer = std::get_if<int64_t>(&value)) {
      writer.number(*integer);
    } else if (const auto* word = std::get_if<std::string>(&value)) {
      writer.text(*word);
    } else if (const auto* ints = std::get_if<IntList>(&value)) {
      writer.numbers(*ints);
    } else if (const auto* lists = std::get_if<IntLists>(&value)) {
      writer.lists(*lists);
    } else if (const auto* dims = std::get_if<SliceDims>(&value)) {
      for (const SliceDim& dim : *dims) writer.numbers({dim.start, dim.limit, dim.stride});
    } else if (const auto* pads = std::get_if<PaddingDims>(&value)) {
      for (const PaddingDim& dim : *pads) writer.numbers({dim.low, dim.high, dim.interior});
    } else if (const auto* groups = std::get_if<ReplicaGroupsRef>(&value); groups && *groups) {
      writer.lists(**groups);
    } else if (const auto* callees = std::get_if<ComputationList>(&value)) {
      for (ComputationId callee : *callees) writer.text(of(callee));
    } else if (const auto* real = std::get_if<double>(&value)) {
      writer.number(std::bit_cast<int64_t>(*real));
    } else {
      writer.text(attribute.text);
    }
  }

  std::string write(const Computation& computation) {
    // A hash of each value's whole structure puts commutative operands into an order that does not
    // depend on how they were written; the text itself is exact.
    std::unordered_map<InstructionId, std::string> heads;
    std::unordered_map<InstructionId, size_t> structure;
    auto ordered_operands = [&](InstructionId id) {
      std::vector<InstructionId> operands = module_[id].operands;
      if (is_commutative(module_[id].opcode)) {
        std::stable_sort(operands.begin(), operands.end(), [&](InstructionId a, InstructionId b) {
          return structure.at(a) < structure.at(b);
        });
      }
      return operands;
    };
    for (InstructionId id : computation.instructions) {
      std::string all = heads[id] = head(module_[id]);
      for (InstructionId operand : ordered_operands(id)) {
        all += std::to_string(structure.at(operand)) + ",";
      }
      structure[id] = std::hash<std::string>()(all);
    }

    std::string out;
    Writer writer(out);
    writer.number(static_cast<int64_t>(computation.parameters.size()));
    for (InstructionId parameter : computation.parameters) {
      writer.text(to_string_without_layout(module_[parameter].shape));
    }
    // Values numbered as a walk from the root leaves them, equal ones alike.
    std::unordered_map<InstructionId, int64_t> numbers;
    std::unordered_map<std::string, int64_t> number_of_text;
    std::vector<InstructionId> stack{computation.root};
    while (!stack.empty()) {
      InstructionId id = stack.back();
      if (numbers.count(id)) {
        stack.pop_back();
        continue;
      }
      std::vector<InstructionId> operands = ordered_operands(id);
      size_t before = stack.size();
      for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
        if (!numbers.count(*it)) stack.push_back(*it);
      }
      if (stack.size() > before) continue;
      stack.pop_back();
      std::string line;
      Writer line_writer(line);
      line_writer.text(heads.at(id));
      for (InstructionId operand : operands) line_writer.number(numbers.at(operand));
      auto [it, is_new] = number_of_text.emplace(line, static_cast<int64_t>(number_of_text.size()));
      numbers[id] = it->second;
      if (is_new) writer.text(line);
    }
    writer.number(numbers.at(computation.root));
    return out;
  }

  const Module& module_;
  std::unordered_map<ComputationId, std::string> done_;
};

}  // namespace

std::string computation_fingerprint(const Module& module, ComputationId computation) {
  return Fingerprinter(module).of(computation);
}

}  // namespace flipsat::hlo
