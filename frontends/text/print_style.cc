#include "frontends/text/print_style.h"

#include "frontends/text/scanner.h"

namespace flipsat::frontends {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using hlo::Shape;

namespace {

// How many examples decide.
constexpr int kExamples = 64;

bool starts_with_shape(std::string_view operand) {
  size_t begin = operand.find_first_not_of(" \t\r\n");
  if (begin == operand.npos) return false;
  if (operand[begin] == '(') return true;
  size_t end = operand.find_first_of("[(,", begin);
  return end != operand.npos && operand[end] == '[';
}

std::string indentation_before(std::string_view source, size_t begin) {
  size_t start = begin;
  while (start > 0 && (source[start - 1] == ' ' || source[start - 1] == '\t')) --start;
  if (start > 0 && source[start - 1] != '\n') return "  ";
  return std::string(source.substr(start, begin - start));
}

void learn_from(const Module& module, const Instruction& instruction, PrintStyle& style) {
  std::string_view text = module.source_text(instruction.text);
  if (text.starts_with("ROOT")) {
    text.remove_prefix(4);
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
  }
  style.percent = text.starts_with('%');
  style.indentation = indentation_before(*module.source, instruction.text.begin);
}

}  // namespace

PrintStyle style_of(const Module& module) {
  PrintStyle style;
  if (!module.source) return style;
  size_t newline = module.source->find('\n');
  if (newline != std::string::npos && newline > 0 && (*module.source)[newline - 1] == '\r') {
    style.newline = "\r\n";
  }
  int names = 0, shapes = 0, layouts = 0, operands = 0, operand_shapes = 0;
  for (const Instruction& instruction : module.instructions) {
    if (instruction.text.empty() || instruction.is_inlined || instruction.implicit) continue;
    if (names == kExamples && shapes == kExamples && operands == kExamples) break;
    if (names == 0) learn_from(module, instruction, style);
    if (names < kExamples) ++names;
    if (shapes < kExamples && instruction.shape.rank() > 0) {
      ++shapes;
      layouts += instruction.shape.layout != nullptr;
    }
    if (operands < kExamples && !instruction.operands.empty() &&
        !module[instruction.operands[0]].is_inlined) {
      ++operands;
      operand_shapes += starts_with_shape(module.source_text(instruction.operands_text));
    }
  }
  style.layouts = shapes == 0 || 2 * layouts >= shapes;
  style.operand_shapes = 2 * operand_shapes > operands;
  for (const Computation& computation : module.computations) {
    if (computation.text.empty() || computation.is_inlined) continue;
    std::string_view head = module.source_text({computation.text.begin, computation.body.begin});
    style.signatures = head.find("->") != head.npos;
    break;
  }
  return style;
}

bool is_default_layout(const Shape& shape) {
  if (!shape.layout) return true;
  if (!shape.layout->extras.empty()) return false;
  const auto& order = shape.layout->minor_to_major;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(order.size() - 1 - i)) return false;
  }
  return true;
}

void append_shape(const Shape& shape, bool layouts, std::string& out) {
  if (shape.is_tuple()) {
    out += '(';
    for (size_t i = 0; i < shape.parts->size(); ++i) {
      if (i > 0) out += ", ";
      if (i > 0 && i % 5 == 0) out += "/*index=" + std::to_string(i) + "*/";
      append_shape((*shape.parts)[i], layouts, out);
    }
    out += ')';
    return;
  }
  if (shape.type == hlo::ElementType::kBuffer) {
    out += "b(";
    append_shape(shape.parts->front(), layouts, out);
    out += ')';
    return;
  }
  out += hlo::to_string_without_layout(shape);
  if (!shape.is_array() || (!layouts && is_default_layout(shape))) return;
  if (shape.rank() == 0 && (!shape.layout || shape.layout->extras.empty())) return;
  out += '{';
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) out += ',';
    out += std::to_string(shape.layout ? shape.layout->minor_to_major[static_cast<size_t>(i)]
                                       : shape.rank() - 1 - i);
  }
  if (shape.layout && !shape.layout->extras.empty()) out += ":" + shape.layout->extras;
  out += '}';
}

}  // namespace flipsat::frontends
