#include "frontends/text/source_line.h"

#include "frontends/text/literal_reader.h"

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::AttributeSyntax;

SourceLineReader::SourceLineReader(const hlo::Module& module)
    : source_(*module.source), in_(source_, module.file), shapes_(in_), attributes_(in_, shapes_) {}

SourceLine SourceLineReader::read(const hlo::Instruction& instruction) {
  SourceLine line;
  in_.seek(instruction.text.begin);
  if (!instruction.is_inlined && in_.offset() != instruction.operands_text.begin) {
    line.marked_root = in_.take_word("ROOT");
    size_t name_at = (in_.skip_space(), in_.offset());
    std::string_view name = in_.name("a name");
    if (in_.take('=')) {
      line.name = name;
    } else {
      in_.seek(name_at);  // a lone instruction without a name
    }
  }
  if (shapes_.starts_shape()) line.shape = shapes_.read();
  line.opcode = in_.expect_word("an opcode");
  line.head = in_.text(instruction.text.begin, instruction.operands_text.begin);
  line.operands = in_.text(instruction.operands_text.begin, instruction.operands_text.end);
  in_.seek(instruction.operands_text.end);
  in_.expect(')');
  size_t end = in_.offset();
  while (end < instruction.text.end && in_.take(',')) {
    SourceAttribute attribute;
    attribute.name = in_.attribute_name();
    in_.skip_space();
    size_t begin = in_.offset();
    attribute.before = in_.text(end, begin);
    skip_value(hlo::attribute_key_from_string(attribute.name));
    end = in_.offset();
    attribute.value = in_.text(begin, end);
    line.attributes.push_back(attribute);
  }
  return line;
}

void SourceLineReader::skip_value(AttributeKey key) {
  switch (hlo::attribute_syntax(key)) {
    case AttributeSyntax::kComputation:
    case AttributeSyntax::kComputations:
    case AttributeSyntax::kInstructions:
      if (in_.peek() == '{') {
        in_.balanced();
      } else {
        in_.name("a name");
      }
      return;
    default:
      attributes_.read(key);
  }
}

std::vector<SourceOperand> SourceLineReader::read_operands(const hlo::Instruction& instruction) {
  std::vector<SourceOperand> operands;
  in_.seek(instruction.operands_text.begin);
  if (in_.peek() == ')') return operands;
  while (true) {
    SourceOperand operand;
    size_t begin = operands.empty() ? instruction.operands_text.begin : in_.offset();
    in_.seek(begin);
    in_.skip_space();
    operand.begin = in_.offset();
    operand.blanks = in_.text(begin, operand.begin);
    if (in_.here() != '%' && shapes_.starts_shape()) operand.shape = shapes_.read();
    in_.skip_space();
    operand.percent = in_.here() == '%';
    operand.reference = in_.name("an operand");
    if (in_.peek() == '(') {
      in_.balanced();
      operand.reference.clear();
    }
    while (in_.take('#')) {
      operand.reference += '#' + std::to_string(in_.non_negative("a tuple index"));
    }
    size_t comma = (in_.skip_space(), in_.offset());
    operand.text = in_.text(begin, comma);
    operands.push_back(operand);
    if (!in_.take(',')) return operands;
  }
}

int64_t SourceLineReader::read_integer(std::string_view text) {
  in_.seek(offset_of(text));
  return in_.integer("a number");
}

hlo::LiteralRef SourceLineReader::read_literal(std::string_view text, const hlo::Shape& shape) {
  in_.seek(offset_of(text));
  return frontends::read_literal(in_, shape);
}

std::vector<std::string_view> SourceLineReader::read_names(std::string_view value) {
  std::vector<std::string_view> names;
  in_.seek(offset_of(value));
  bool braces = in_.take('{');
  do {
    char c = in_.peek();
    if (c != '%' && !is_word_start(c)) return names;
    names.push_back(in_.name("a name"));
  } while (braces && in_.take(','));
  return names;
}

SourceLineReader::Header SourceLineReader::read_header(const hlo::Computation& computation) {
  Header header;
  in_.seek(computation.text.begin);
  header.is_entry = in_.take_word("ENTRY");
  header.name = in_.name("a computation");
  header.has_signature = in_.take('(');
  if (!header.has_signature) return header;
  if (!in_.take(')')) {
    do {
      std::string_view name = in_.name("a parameter name");
      in_.expect(':');
      header.parameters.emplace_back(name, shapes_.read());
    } while (in_.take(','));
    in_.expect(')');
  }
  in_.expect("->");
  header.result = shapes_.read();
  return header;
}

GapNewlines newlines_of(std::string_view gap) {
  GapNewlines found;
  for (size_t i = 0; i < gap.size(); ++i) {
    if (gap[i] == '\n') {
      if (found.first == gap.npos) found.first = i;
      found.last = i;
    } else if (gap[i] == '/' && i + 1 < gap.size()) {
      size_t end = gap[i + 1] == '*' ? gap.find("*/", i + 2) : gap.find('\n', i);
      if (end == gap.npos) return found;
      i = gap[i + 1] == '*' ? end + 1 : end - 1;
    }
  }
  return found;
}

}  // namespace flipsat::frontends
