#include "frontends/text/line_patcher.h"

#include <algorithm>

#include "frontends/text/shape_inference.h"

namespace flipsat::frontends {

using hlo::Attribute;
using hlo::AttributeKey;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;
using hlo::Shape;

namespace {

// Equal, where a missing layout stands for the default one.
bool same_with_layout(const Shape& a, const Shape& b) {
  if (a.parts && b.parts) {
    return a.same_value_shape(b) && std::equal(a.parts->begin(), a.parts->end(), b.parts->begin(),
                                               b.parts->end(), same_with_layout);
  }
  if (!a.same_value_shape(b)) return false;
  return (is_default_layout(a) && is_default_layout(b)) ||
         (a.layout && b.layout && *a.layout == *b.layout);
}

// Does the shape show a layout anywhere?
bool shows_layout(const Shape& shape) {
  if (shape.parts) return std::any_of(shape.parts->begin(), shape.parts->end(), shows_layout);
  return shape.layout != nullptr;
}

bool has_rank(const Shape& shape) {
  if (shape.parts) return std::any_of(shape.parts->begin(), shape.parts->end(), has_rank);
  return shape.rank() > 0;
}

}  // namespace

LinePatcher::LinePatcher(const hlo::Module& module, const PrintStyle& style,
                         const std::vector<bool>& own_line)
    : module_(module),
      style_(style),
      own_line_(own_line),
      printer_(module, style, own_line),
      reader_(module) {}

void LinePatcher::append(InstructionId id, bool mark_root, std::string& out) {
  const Instruction& instruction = module_[id];
  SourceLine line = reader_.read(instruction);
  append_head(id, line, mark_root, out);
  append_operands(instruction, line, out);
  // From the closing parenthesis; the text before an attribute belongs to it.
  out += ')';
  append_attributes(instruction, line, out);
}

bool LinePatcher::same_shape(const Instruction& instruction, const SourceLine& line) const {
  if (line.shape) return same_with_layout(*line.shape, instruction.shape);
  std::optional<Shape> inferred = infer_shape(module_, instruction);
  return inferred && same_with_layout(*inferred, instruction.shape);
}

void LinePatcher::append_head(InstructionId id, const SourceLine& line, bool mark_root,
                              std::string& out) {
  const Instruction& instruction = module_[id];
  bool same_name = instruction.is_inlined || line.name.empty() || line.name == instruction.name;
  bool same_opcode = line.opcode == opcode_word(instruction);
  if (same_name && same_opcode && mark_root == line.marked_root && same_shape(instruction, line)) {
    out += line.head;
    return;
  }
  PrintStyle style = style_;
  size_t name_at = line.marked_root ? line.head.find_first_not_of(" \t\r\n", 4) : 0;
  if (!line.name.empty()) style.percent = line.head.substr(name_at).starts_with('%');
  if (line.shape && has_rank(*line.shape)) style.layouts = shows_layout(*line.shape);
  if (mark_root) out += "ROOT ";
  if (!instruction.is_inlined) {
    LinePrinter(module_, style, own_line_).append_name(instruction.name, out);
    out += " = ";
  }
  append_shape(instruction.shape, style.layouts, out);
  out += ' ';
  out += opcode_word(instruction);
  out += '(';
}

void LinePatcher::append_operands(const Instruction& instruction, const SourceLine& line,
                                  std::string& out) {
  if (line.opcode == "parameter" || line.opcode == "constant" ||
      instruction.opcode == Opcode::kParameter || instruction.opcode == Opcode::kConstant) {
    std::string made;
    printer_.append_operands(instruction, made);
    bool same = line.opcode == to_string(instruction.opcode);
    if (same && instruction.opcode == Opcode::kParameter) {
      same = !line.operands.empty() &&
             reader_.read_integer(line.operands) == instruction.parameter_number;
    } else if (same) {
      hlo::LiteralRef read =
          line.shape ? reader_.read_literal(line.operands, *line.shape) : nullptr;
      same = read && (read->elided ? instruction.literal->elided : *read == *instruction.literal);
    }
    out += same ? std::string(line.operands) : made;
    return;
  }
  std::vector<SourceOperand> written = reader_.read_operands(instruction);
  PrintStyle style = style_;
  if (!written.empty()) {
    style.operand_shapes = std::any_of(written.begin(), written.end(),
                                       [](const SourceOperand& w) { return w.shape.has_value(); });
    for (const SourceOperand& operand : written) {
      if (!operand.reference.empty()) style.percent = operand.percent;
      if (operand.shape && has_rank(*operand.shape)) style.layouts = shows_layout(*operand.shape);
    }
  }
  LinePrinter printer(module_, style, own_line_);
  if (written.size() != instruction.operands.size()) {
    printer.append_operands(instruction, out);
    return;
  }
  if (written.empty()) {
    out += line.operands;
    return;
  }
  for (size_t i = 0; i < written.size(); ++i) {
    if (i > 0) out += ',';
    InstructionId operand = instruction.operands[i];
    bool nested = printer.is_nested(operand) && !module_[operand].text.empty();
    if (!nested && says(written[i], operand)) {
      out += written[i].text;
      continue;
    }
    out += written[i].blanks;
    if (!nested) {
      printer.append_operand(operand, out);
      continue;
    }
    append(operand, false, out);
    // Where it stands as it was read, so do the blanks behind it.
    size_t end = module_[operand].text.end;
    size_t written_end = written[i].begin + written[i].text.size() - written[i].blanks.size();
    if (written[i].begin == module_[operand].text.begin && end < written_end) {
      out += module_.source_text({static_cast<uint32_t>(end), static_cast<uint32_t>(written_end)});
    }
  }
}

// Does the text still name this operand, with its shape?
bool LinePatcher::says(const SourceOperand& written, InstructionId operand) const {
  const Instruction& instruction = module_[operand];
  if (written.reference.empty() || printer_.is_nested(operand)) return false;
  std::string reference;
  printer_.append_reference(operand, reference);
  std::string_view name = reference;
  if (name.starts_with('%')) name.remove_prefix(1);
  return written.reference == name &&
         (!written.shape || compatible(*written.shape, instruction.shape));
}

void LinePatcher::append_attributes(const Instruction& instruction, const SourceLine& line,
                                    std::string& out) {
  auto find_by_name = [&](std::string_view name) {
    return std::find_if(instruction.attributes.begin(), instruction.attributes.end(),
                        [&](const Attribute& a) { return a.spelled_name() == name; });
  };
  std::vector<bool> printed(instruction.attributes.size(), false);
  for (const SourceAttribute& written : line.attributes) {
    auto attribute = find_by_name(written.name);
    if (attribute == instruction.attributes.end()) continue;
    printed[static_cast<size_t>(attribute - instruction.attributes.begin())] = true;
    out += written.before;
    if (still_says(*attribute, written)) {
      out += written.value;
    } else {
      append_made_attribute(*attribute, out);
    }
  }
  for (size_t i = 0; i < printed.size(); ++i) {
    if (printed[i]) continue;
    out += ", ";
    out += instruction.attributes[i].spelled_name();
    out += '=';
    append_made_attribute(instruction.attributes[i], out);
  }
}

// The spelling that the attribute holds is that of the source, and every name in it is still right.
bool LinePatcher::still_says(const Attribute& attribute, const SourceAttribute& written) {
  if (attribute.text != written.value) return false;
  std::vector<std::string> wanted;
  if (const auto* called = std::get_if<hlo::ComputationList>(&attribute.value)) {
    for (hlo::ComputationId id : *called) {
      const hlo::Computation& computation = module_.computations[id];
      if (!computation.is_inlined) {
        wanted.push_back(computation.name);
        continue;
      }
      if (inlined_change_ && inlined_change_(id)) return false;
    }
  } else if (const auto* list = std::get_if<hlo::InstructionList>(&attribute.value)) {
    for (InstructionId id : list->ids) wanted.push_back(module_[id].name);
  } else {
    return true;
  }
  if (wanted.empty()) return true;
  std::vector<std::string_view> names = reader_.read_names(written.value);
  return std::equal(names.begin(), names.end(), wanted.begin(), wanted.end());
}

// Names come from the value, so that they are right; other spellings are taken as they are.
void LinePatcher::append_made_attribute(const Attribute& attribute, std::string& out) {
  bool has_names = std::holds_alternative<hlo::ComputationList>(attribute.value) ||
                   std::holds_alternative<hlo::InstructionList>(attribute.value);
  if (has_names || attribute.text.empty()) {
    printer_.append_value(attribute, out);
  } else {
    out += attribute.text;
  }
}

}  // namespace flipsat::frontends
