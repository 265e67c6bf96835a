#include "frontends/text/line_printer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "frontends/text/literal_printer.h"
#include "frontends/text/scanner.h"

namespace flipsat::frontends {

using hlo::Attribute;
using hlo::AttributeKey;
using hlo::AttributeSyntax;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

// Place in the printed order; equal ranks keep their order.
int rank_of(const Instruction& instruction, const Attribute& attribute) {
  bool collective = hlo::is_collective(instruction.wrapped.value_or(instruction.opcode));
  Opcode opcode = hlo::synchronous(instruction.wrapped.value_or(instruction.opcode));
  constexpr int kOwn = 10;
  switch (attribute.key) {
    case AttributeKey::kChannelId:
      return collective ? 1 : kOwn;
    case AttributeKey::kReplicaGroups:
    case AttributeKey::kSourceTargetPairs:
      return collective ? 2 : kOwn;
    case AttributeKey::kConstrainLayout:
      return collective ? 3 : kOwn;
    case AttributeKey::kDimensions:
      return !collective ? kOwn : opcode == Opcode::kReduceScatter ? 6 : 4;
    case AttributeKey::kUseGlobalDeviceIds:
      return collective ? 5 : kOwn;
    case AttributeKey::kToApply:
      return kOwn + 1;
    case AttributeKey::kSharding:
      return 20;
    case AttributeKey::kFrontendAttributes:
      return 21;
    case AttributeKey::kControlPredecessors:
      return 22;
    case AttributeKey::kStatistics:
      return 23;
    case AttributeKey::kOrigin:
      return 24;
    case AttributeKey::kMetadata:
      return 25;
    case AttributeKey::kBackendConfig:
      return 26;
    default:
      return kOwn;
  }
}

template <typename List, typename Append>
void append_list(const List& list, std::string_view separator, std::string& out, Append append) {
  bool first = true;
  for (const auto& element : list) {
    if (!first) out += separator;
    first = false;
    append(element);
  }
}

void append_ints(const std::vector<int64_t>& values, std::string& out) {
  out += '{';
  append_list(values, ",", out, [&](int64_t value) { out += std::to_string(value); });
  out += '}';
}

void append_int_lists(const hlo::IntLists& lists, std::string& out) {
  out += '{';
  append_list(lists, ",", out, [&](const hlo::IntList& list) { append_ints(list, out); });
  out += '}';
}

void append_slice(const hlo::SliceDims& dims, std::string& out) {
  out += '{';
  append_list(dims, ", ", out, [&](const hlo::SliceDim& dim) {
    out += '[' + std::to_string(dim.start) + ':' + std::to_string(dim.limit);
    if (dim.stride != 1) out += ':' + std::to_string(dim.stride);
    out += ']';
  });
  out += '}';
}

void append_padding(const hlo::PaddingDims& dims, std::string& out) {
  append_list(dims, "x", out, [&](const hlo::PaddingDim& dim) {
    out += std::to_string(dim.low) + '_' + std::to_string(dim.high);
    if (dim.interior != 0) out += '_' + std::to_string(dim.interior);
  });
}

void append_double(double value, std::string& out) {
  std::array<char, 64> buffer;
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), end);
}

}  // namespace

std::string opcode_word(const Instruction& instruction) {
  if (!instruction.wrapped) return std::string(to_string(instruction.opcode));
  std::string word(to_string(*instruction.wrapped));
  if (instruction.opcode == Opcode::kAsyncStart) return word + "-start";
  if (instruction.opcode == Opcode::kAsyncUpdate) return word + "-update";
  return word + "-done";
}

std::vector<const Attribute*> in_printed_order(const Instruction& instruction) {
  std::vector<const Attribute*> order;
  for (const Attribute& attribute : instruction.attributes) order.push_back(&attribute);
  std::stable_sort(order.begin(), order.end(), [&](const Attribute* a, const Attribute* b) {
    return rank_of(instruction, *a) < rank_of(instruction, *b);
  });
  return order;
}

void LinePrinter::append_name(std::string_view name, std::string& out) const {
  if (style_.percent) out += '%';
  out += name;
}

void LinePrinter::append_reference(InstructionId id, std::string& out) const {
  if (!is_element(id)) return append_name(module_[id].name, out);
  std::vector<int64_t> indices;
  for (; is_element(id); id = module_[id].operands[0]) indices.push_back(module_[id].tuple_index());
  append_name(module_[id].name, out);
  for (auto index = indices.rbegin(); index != indices.rend(); ++index) {
    out += '#' + std::to_string(*index);
  }
}

void LinePrinter::append_operand(InstructionId id, std::string& out) const {
  if (is_nested(id)) return append_right_side(module_[id], out);
  if (style_.operand_shapes) {
    append_shape(module_[id].shape, style_.layouts, out);
    out += ' ';
  }
  append_reference(id, out);
}

void LinePrinter::append_operands(const Instruction& instruction, std::string& out) const {
  if (instruction.opcode == Opcode::kParameter) {
    out += std::to_string(instruction.parameter_number);
    return;
  }
  if (instruction.opcode == Opcode::kConstant) return append_literal(*instruction.literal, out);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (i > 0) out += ", ";
    if (i > 0 && i % 5 == 0 && style_.index_comments) {
      out += "/*index=" + std::to_string(i) + "*/";
    }
    append_operand(instruction.operands[i], out);
  }
}

// `shape opcode(operands)`
void LinePrinter::append_right_side(const Instruction& instruction, std::string& out) const {
  append_shape(instruction.shape, style_.layouts, out);
  out += ' ';
  out += opcode_word(instruction);
  out += '(';
  append_operands(instruction, out);
  out += ')';
}

void LinePrinter::append_instruction(InstructionId id, std::string& out) const {
  const Instruction& instruction = module_[id];
  append_name(instruction.name, out);
  out += " = ";
  append_right_side(instruction, out);
  for (const Attribute* attribute : in_printed_order(instruction)) {
    out += ", ";
    append_attribute(*attribute, out);
  }
}

void LinePrinter::append_attribute(const Attribute& attribute, std::string& out) const {
  out += attribute.spelled_name();
  out += '=';
  if (attribute.text.empty()) {
    append_value(attribute, out);
  } else {
    out += attribute.text;
  }
}

void LinePrinter::append_value(const Attribute& attribute, std::string& out) const {
  struct Printer {
    const LinePrinter& lines;
    const Attribute& attribute;
    std::string& out;
    void operator()(std::monostate) const { out += attribute.text.empty() ? "{}" : attribute.text; }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(int64_t value) const { out += std::to_string(value); }
    void operator()(double value) const { append_double(value, out); }
    void operator()(const std::string& value) const {
      if (hlo::attribute_syntax(attribute.key) == AttributeSyntax::kString) {
        out += '"' + escape(value) + '"';
      } else {
        out += value;
      }
    }
    void operator()(const hlo::IntList& value) const { append_ints(value, out); }
    void operator()(const hlo::IntLists& value) const { append_int_lists(value, out); }
    void operator()(const hlo::SliceDims& value) const { append_slice(value, out); }
    void operator()(const hlo::PaddingDims& value) const { append_padding(value, out); }
    void operator()(const hlo::ReplicaGroupsRef& value) const {
      append_int_lists(value ? *value : hlo::ReplicaGroups(), out);
    }
    void operator()(const hlo::ComputationList& value) const {
      bool one = hlo::attribute_syntax(attribute.key) == AttributeSyntax::kComputation ||
                 (attribute.key == AttributeKey::kCalls && value.size() == 1);
      lines.append_computations(value, !one, out);
    }
    void operator()(const hlo::InstructionList& value) const {
      out += '{';
      append_list(value.ids, ", ", out, [&](InstructionId id) { lines.append_reference(id, out); });
      out += '}';
    }
  };
  std::visit(Printer{*this, attribute, out}, attribute.value);
}

void LinePrinter::append_computations(const hlo::ComputationList& list, bool braces,
                                      std::string& out) const {
  if (braces) out += '{';
  append_list(list, ", ", out, [&](hlo::ComputationId id) {
    if (module_.computations[id].is_inlined) {
      append_inlined_computation(id, out);
    } else {
      append_name(module_.computations[id].name, out);
    }
  });
  if (braces) out += '}';
}

void LinePrinter::append_inlined_computation(hlo::ComputationId id, std::string& out) const {
  if (inlined_printer_) return inlined_printer_(id, out);
  const hlo::Computation& computation = module_.computations[id];
  out += '{';
  for (InstructionId instruction : computation.instructions) {
    if (is_element(instruction) || is_nested(instruction)) continue;
    out += ' ';
    if (instruction == computation.root) out += "ROOT ";
    append_instruction(instruction, out);
  }
  out += " }";
}

}  // namespace flipsat::frontends
