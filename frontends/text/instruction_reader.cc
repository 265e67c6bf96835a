// The instructions of ModuleReader: names, shapes, operands, attributes.
#include <algorithm>

#include "frontends/text/literal_reader.h"
#include "frontends/text/module_reader.h"
#include "frontends/text/opcode_rules.h"
#include "frontends/text/shape_inference.h"

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::AttributeSyntax;
using hlo::AttributeValue;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::kNoId;
using hlo::Opcode;
using hlo::Shape;

namespace {

hlo::SourceSpan span(size_t begin, size_t end) {
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

std::string quoted_name(std::string_view name) { return "'" + std::string(name) + "'"; }

}  // namespace

void ModuleReader::read_instruction(Scope& scope) {
  Head head;
  in_.skip_space();
  head.begin = in_.offset();
  head.is_root = in_.here() == 'R' && in_.take_word("ROOT");
  head.name_at = (in_.skip_space(), in_.offset());
  head.name = in_.name("an instruction");
  if (head.is_root && scope.marked_root != kNoId) {
    in_.fail_at(head.begin, "expected one ROOT instruction");
  }
  in_.expect('=');
  InstructionId id = read_right_side(scope, head, false);
  if (!scope.names.emplace(head.name, id).second) {
    in_.fail_at(head.name_at,
                "expected a new instruction name, " + quoted_name(head.name) + " is defined above");
  }
  if (head.is_root) scope.marked_root = id;
}

InstructionId ModuleReader::read_right_side(Scope& scope, const Head& head, bool is_inlined) {
  Instruction instruction;
  instruction.name = head.name;
  instruction.line = in_.line_of(head.name_at);
  instruction.is_inlined = is_inlined;
  bool has_shape = shapes_.starts_shape();
  if (has_shape) instruction.shape = shapes_.read();
  size_t opcode_at = (in_.skip_space(), in_.offset());
  read_opcode(instruction);
  size_t operands_at = in_.offset();
  if (!has_shape &&
      (instruction.opcode == Opcode::kConstant || instruction.opcode == Opcode::kParameter)) {
    in_.fail_at(opcode_at, "expected a shape");
  }
  in_.expect('(');
  size_t operands_begin = in_.offset();
  read_operands(scope, instruction);
  in_.skip_space();
  instruction.operands_text = span(operands_begin, in_.offset());
  in_.expect(')');
  if (!is_inlined) read_attributes(scope, instruction);
  instruction.text = span(head.begin, in_.offset());
  check_instruction(in_, module_, instruction, opcode_at, operands_at);
  if (!has_shape) {
    std::optional<Shape> shape;
    if (!instruction.wrapped) shape = infer_shape(module_, instruction);
    if (!shape) in_.fail_at(opcode_at, "expected a shape");
    instruction.shape = std::move(*shape);
  }
  return add(scope, std::move(instruction));
}

InstructionId ModuleReader::add(Scope& scope, Instruction instruction) {
  auto id = static_cast<InstructionId>(module_.instructions.size());
  instruction.computation = scope.id;
  if (instruction.implicit) {
    scope.implicit.push_back(id);
  } else {
    scope.listed.push_back(id);
  }
  if (instruction.is_inlined) scope.inlined.push_back(id);
  module_.instructions.push_back(std::move(instruction));
  return id;
}

void ModuleReader::read_opcode(Instruction& instruction) {
  size_t begin = in_.offset();
  std::string_view word = in_.expect_word("an opcode");
  if (std::optional<Opcode> opcode = hlo::opcode_from_string(word)) {
    instruction.opcode = *opcode;
    return;
  }
  std::optional<AsyncSugar> sugar = async_sugar(word);
  if (!sugar) in_.fail_at(begin, "expected an opcode, found " + quoted_name(word.substr(0, 60)));
  instruction.opcode = sugar->async;
  instruction.wrapped = sugar->wrapped;
}

void ModuleReader::read_operands(Scope& scope, Instruction& instruction) {
  if (instruction.opcode == Opcode::kParameter) {
    instruction.parameter_number = in_.non_negative("a parameter number");
    return;
  }
  if (instruction.opcode == Opcode::kConstant) {
    instruction.literal = read_literal(in_, instruction.shape);
    return;
  }
  if (in_.peek() == ')') return;
  // Nested operands use the upper part of the same buffer.
  size_t base = operand_buffer_.size();
  do {
    InstructionId operand = read_operand(scope);
    operand_buffer_.push_back(operand);
  } while (in_.take(','));
  auto first = operand_buffer_.begin() + static_cast<int64_t>(base);
  instruction.operands.assign(first, operand_buffer_.end());
  operand_buffer_.resize(base);
}

// `%name`, `f32[] %name`, `%tuple#0`, or an instruction without attributes.
InstructionId ModuleReader::read_operand(Scope& scope) {
  char c = in_.peek();
  size_t begin = in_.offset();
  if (c == '%') return read_named_operand(scope, begin, std::nullopt);
  if (c != '(' && !is_word_start(c)) in_.fail("expected an operand");
  std::optional<Shape> shape;
  if (shapes_.starts_shape()) {
    shape = shapes_.read();
    if (in_.peek() == '%') return read_named_operand(scope, begin, shape);
  }
  size_t word_at = (in_.skip_space(), in_.offset());
  in_.expect_word("an operand");
  bool nested = in_.peek() == '(';
  in_.seek(word_at);
  if (!nested) return read_named_operand(scope, begin, shape);
  in_.seek(begin);
  return read_nested_operand(scope, begin);
}

InstructionId ModuleReader::read_nested_operand(Scope& scope, size_t begin) {
  if (++depth_ > kMaxDepth) {
    in_.fail("expected at most " + std::to_string(kMaxDepth) + " nested computations and operands");
  }
  InstructionId id = read_right_side(scope, {{}, begin, begin, false}, true);
  --depth_;
  return id;
}

InstructionId ModuleReader::read_named_operand(Scope& scope, size_t begin,
                                               const std::optional<Shape>& shape) {
  size_t name_at = (in_.skip_space(), in_.offset());
  std::string_view name = in_.name("an operand");
  InstructionId id = kNoId;
  auto found = scope.names.find(name);
  if (found != scope.names.end()) {
    id = found->second;
  } else if (scope.makes_parameters && shape && in_.peek() != '#') {
    return make_parameter(scope, name, *shape, begin);
  } else {
    in_.fail_at(name_at, "expected an operand that is defined above, found " + quoted_name(name));
  }
  while (in_.peek() == '#') {
    size_t at = in_.offset();
    in_.advance();
    id = element_of(scope, id, in_.non_negative("a tuple index"), at);
  }
  if (shape && !compatible(*shape, module_[id].shape)) {
    in_.fail_at(begin,
                "expected the operand's shape, " + to_string_without_layout(module_[id].shape));
  }
  return id;
}

// The one get-tuple-element of this tuple and index in the computation.
InstructionId ModuleReader::element_of(Scope& scope, InstructionId tuple, int64_t index,
                                       size_t at) {
  const Shape& shape = module_[tuple].shape;
  if (!shape.is_tuple()) in_.fail_at(at, "expected a tuple before '#'");
  if (static_cast<uint64_t>(index) >= shape.parts->size()) {
    in_.fail_at(at, "expected a tuple index below " + std::to_string(shape.parts->size()));
  }
  uint64_t key = uint64_t{tuple} << 32 | static_cast<uint64_t>(index);
  auto known = scope.elements.find(key);
  if (known != scope.elements.end()) return known->second;
  Instruction element;
  element.opcode = Opcode::kGetTupleElement;
  element.shape = (*shape.parts)[static_cast<size_t>(index)];
  element.operands = {tuple};
  element.attributes.push_back({AttributeKey::kIndex, {}, index, {}});
  element.implicit = true;
  element.line = module_[tuple].line;
  InstructionId id = add(scope, std::move(element));
  scope.elements.emplace(key, id);
  return id;
}

InstructionId ModuleReader::make_parameter(Scope& scope, std::string_view name, const Shape& shape,
                                           size_t begin) {
  Instruction parameter;
  parameter.name = name;
  parameter.opcode = Opcode::kParameter;
  parameter.shape = shape;
  parameter.parameter_number = static_cast<int64_t>(scope.names.size());
  parameter.text = span(begin, in_.offset());
  parameter.line = in_.line_of(begin);
  InstructionId id = add(scope, std::move(parameter));
  scope.names.emplace(name, id);
  return id;
}

void ModuleReader::read_attributes(Scope& scope, Instruction& instruction) {
  size_t base = attribute_buffer_.size();
  constexpr size_t kFewAttributes = 24;
  std::unordered_set<std::string_view> seen;  // filled only where there are many
  while (in_.take(',')) {
    size_t name_at = (in_.skip_space(), in_.offset());
    std::string_view name = in_.attribute_name();
    hlo::Attribute attribute;
    attribute.key = hlo::attribute_key_from_string(name);
    if (attribute.key == AttributeKey::kOther) attribute.name = name;
    size_t count = attribute_buffer_.size() - base;
    bool repeated = false;
    if (count < kFewAttributes) {
      for (size_t i = base; i < attribute_buffer_.size(); ++i) {
        repeated |= attribute_buffer_[i].spelled_name() == name;
      }
    }
    if (count == kFewAttributes) {
      for (const hlo::Attribute& other : attribute_buffer_) seen.insert(other.spelled_name());
    }
    if (count >= kFewAttributes) repeated = !seen.insert(name).second;
    if (repeated) in_.fail_at(name_at, "expected each attribute once");
    in_.skip_space();
    size_t begin = in_.offset();
    attribute.value = read_value(scope, attribute.key);
    attribute.text = in_.text(begin, in_.offset());
    attribute_buffer_.push_back(std::move(attribute));
  }
  auto first = attribute_buffer_.begin() + static_cast<int64_t>(base);
  instruction.attributes.assign(std::make_move_iterator(first),
                                std::make_move_iterator(attribute_buffer_.end()));
  attribute_buffer_.resize(base);
}

AttributeValue ModuleReader::read_value(Scope& scope, AttributeKey key) {
  switch (hlo::attribute_syntax(key)) {
    case AttributeSyntax::kComputation:
      return hlo::ComputationList{read_computation_reference()};
    case AttributeSyntax::kComputations:
      return read_computation_references();
    case AttributeSyntax::kInstructions:
      return read_instruction_references(scope);
    default:
      return attributes_.read(key);
  }
}

hlo::ComputationId ModuleReader::read_computation_reference() {
  if (in_.peek() == '{') return read_inlined_computation();
  size_t begin = in_.offset();
  std::string_view name = in_.name("a computation");
  auto found = computation_names_.find(name);
  if (found == computation_names_.end()) {
    in_.fail_at(begin, "expected a computation that is defined above, found " + quoted_name(name));
  }
  return found->second;
}

// After '{': a list of computations (names or inlined ones), not the body of one?
bool ModuleReader::names_follow() {
  size_t begin = in_.offset();
  in_.advance();
  char c = in_.peek();
  bool answer = c == '}' || c == '{';
  if (!answer && (c == '%' || is_word_start(c))) {
    in_.name("a name");
    char next = in_.peek();
    answer = next == ',' || next == '}';
  }
  in_.seek(begin);
  return answer;
}

hlo::ComputationList ModuleReader::read_computation_references() {
  hlo::ComputationList list;
  if (in_.peek() != '{' || !names_follow()) {
    list.push_back(read_computation_reference());
    return list;
  }
  in_.expect('{');
  if (in_.take('}')) return list;
  do list.push_back(read_computation_reference());
  while (in_.take(','));
  in_.expect('}');
  return list;
}

hlo::ComputationId ModuleReader::read_inlined_computation() {
  Scope inner;
  inner.id = static_cast<hlo::ComputationId>(module_.computations.size());
  module_.computations.emplace_back().is_inlined = true;
  size_t begin = (in_.skip_space(), in_.offset());
  read_body(inner);
  hlo::Computation& computation = module_.computations[inner.id];
  computation.text = span(begin, in_.offset());
  computation.body = span(begin + 1, in_.offset() - 1);
  module_.order.push_back(inner.id);
  return inner.id;
}

hlo::InstructionList ModuleReader::read_instruction_references(Scope& scope) {
  hlo::InstructionList list;
  in_.expect('{');
  if (in_.take('}')) return list;
  do {
    size_t begin = (in_.skip_space(), in_.offset());
    std::string_view name = in_.name("an instruction");
    auto found = scope.names.find(name);
    if (found == scope.names.end()) {
      in_.fail_at(begin,
                  "expected an instruction that is defined above, found " + quoted_name(name));
    }
    list.ids.push_back(found->second);
  } while (in_.take(','));
  in_.expect('}');
  return list;
}

}  // namespace flipsat::frontends
