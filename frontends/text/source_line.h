// One instruction's source text taken apart again, so that only what changed is printed anew.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/text/attribute_reader.h"
#include "frontends/text/scanner.h"
#include "frontends/text/shape_reader.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// An operand as it is written: blanks, [shape], reference.
struct SourceOperand {
  std::string_view text;    // between the commas, blanks included
  std::string_view blanks;  // blanks and comments before the operand
  std::optional<hlo::Shape> shape;
  std::string reference;  // `name` or `name#0`, without '%'; empty where nested
  size_t begin = 0;       // of what follows the blanks
  bool percent = false;
};

struct SourceAttribute {
  std::string_view name;
  std::string_view before;  // from the end of what stands before to the value: `, name=`
  std::string_view value;
};

struct SourceLine {
  bool marked_root = false;
  std::string_view name;
  std::optional<hlo::Shape> shape;  // nullopt: not written
  std::string_view opcode;
  std::string_view head;      // up to and with the opening parenthesis
  std::string_view operands;  // between the parentheses
  std::vector<SourceAttribute> attributes;
};

class SourceLineReader {
 public:
  explicit SourceLineReader(const hlo::Module& module);

  SourceLine read(const hlo::Instruction& instruction);
  std::vector<SourceOperand> read_operands(const hlo::Instruction& instruction);
  int64_t read_integer(std::string_view text);
  hlo::LiteralRef read_literal(std::string_view text, const hlo::Shape& shape);
  // The names in `{%a, %b}` or of `%a`; empty where anything else stands there.
  std::vector<std::string_view> read_names(std::string_view value);

  // What stands before a computation's body: `ENTRY %name (p: f32[]) -> f32[] {`.
  struct Header {
    bool is_entry = false;
    std::string_view name;
    bool has_signature = false;
    std::vector<std::pair<std::string_view, hlo::Shape>> parameters;
    std::optional<hlo::Shape> result;
  };
  Header read_header(const hlo::Computation& computation);

 private:
  size_t offset_of(std::string_view text) const {
    return static_cast<size_t>(text.data() - source_.data());
  }
  void skip_value(hlo::AttributeKey key);

  const std::string& source_;
  Scanner in_;
  ShapeReader shapes_;
  AttributeReader attributes_;
};

// Where comments are stepped over: the first and last newline of a gap between two instructions.
struct GapNewlines {
  size_t first = std::string_view::npos;
  size_t last = std::string_view::npos;
};
GapNewlines newlines_of(std::string_view gap);

}  // namespace flipsat::frontends
