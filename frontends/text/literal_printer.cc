#include "frontends/text/literal_printer.h"

#include <cstring>

#include "frontends/text/float_bits.h"

namespace flipsat::frontends {

using hlo::ElementType;
using hlo::Literal;

namespace {

void append_element(const Literal& literal, int64_t index, std::string& out) {
  ElementType type = literal.shape.type;
  if (type == ElementType::kPred) {
    bool value = literal.bytes[static_cast<size_t>(index)] != 0;
    out += literal.shape.rank() == 0 ? (value ? "true" : "false") : (value ? "1" : "0");
    return;
  }
  if (hlo::is_complex(type)) {
    ElementType part = type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
    auto width = static_cast<size_t>(hlo::byte_width(part));
    const uint8_t* at = literal.bytes.data() + static_cast<size_t>(index) * 2 * width;
    out += '(';
    for (int half = 0; half < 2; ++half) {
      uint64_t bits = 0;
      std::memcpy(&bits, at + static_cast<size_t>(half) * width, width);
      if (half > 0) out += ", ";
      out += float_text(bits, part);
    }
    out += ')';
    return;
  }
  if (hlo::is_float(type)) {
    out += float_text(*literal.bits_at(index), type);
  } else if (hlo::is_unsigned_integer(type)) {
    out += std::to_string(*literal.bits_at(index));
  } else {
    out += std::to_string(*literal.integer_at(index));
  }
}

// Braces by a walk over the rows (of the elements, or of what is left where a dim is empty), which
// opens and closes braces where a dim begins and ends: `{1, 2}`, `{ { 1, 2 }, { 3, 4 } }`.
void append_array(const Literal& literal, std::string& out) {
  const hlo::Dims& dims = literal.shape.dims;
  if (dims.empty()) return append_element(literal, 0, out);
  size_t levels = 0;
  while (levels < dims.size() && dims[levels] != 0) ++levels;
  bool empty = levels < dims.size();
  auto width = static_cast<size_t>(hlo::byte_width(literal.shape.type));
  int64_t count = empty ? hlo::product(dims, 0, static_cast<int>(levels))
                        : static_cast<int64_t>(literal.bytes.size() / width);
  const std::string_view open = dims.size() > 1 ? "{ " : "{";
  const std::string_view close = dims.size() > 1 ? " }" : "}";
  auto repeat = [&](size_t times, std::string_view text) {
    while (times-- > 0) out += text;
  };
  repeat(levels, open);
  for (int64_t index = 0; index < count; ++index) {
    if (index > 0) {
      size_t closed = 0;
      int64_t below = 1;
      for (size_t level = levels; level-- > 1;) {
        below *= dims[level];
        if (index % below != 0) break;
        ++closed;
      }
      repeat(closed, close);
      out += ", ";
      repeat(closed, open);
    }
    if (empty) {
      out += "{}";
    } else {
      append_element(literal, index, out);
    }
  }
  repeat(levels, close);
}

}  // namespace

void append_literal(const Literal& literal, std::string& out) {
  if (literal.elided) {
    out += "{...}";
    return;
  }
  if (literal.shape.is_array()) return append_array(literal, out);
  out += '(';
  for (size_t i = 0; i < literal.parts.size(); ++i) {
    if (i > 0) out += ", ";
    append_literal(*literal.parts[i], out);
  }
  out += ')';
}

}  // namespace flipsat::frontends
