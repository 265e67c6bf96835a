#include "frontends/text/literal_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "frontends/text/float_bits.h"

namespace flipsat::frontends {

using hlo::ElementType;
using hlo::Literal;
using hlo::LiteralRef;
using hlo::Shape;

namespace {

void append(std::vector<uint8_t>& bytes, uint64_t bits, int width) {
  size_t at = bytes.size();
  bytes.resize(at + static_cast<size_t>(width));
  std::memcpy(bytes.data() + at, &bits, static_cast<size_t>(width));
}

class ArrayReader {
 public:
  ArrayReader(Scanner& in, const Shape& shape, Literal& literal)
      : in_(in), shape_(shape), literal_(literal), width_(hlo::byte_width(shape.type)) {}

  void read() {
    if (shape_.rank() == 0) {
      if (in_.peek() == '{') in_.fail("expected a scalar");
      read_element();
      return;
    }
    read_nested();
  }

 private:
  // Braces by an explicit count of levels: no recursion, however deep the text.
  void read_nested() {
    std::vector<int64_t> seen(shape_.dims.size(), 0);
    size_t level = 0;
    do {
      char c = in_.peek();
      if (c == '{') {
        if (level == shape_.dims.size()) {
          in_.fail("expected a number, the rank is " + std::to_string(shape_.rank()));
        }
        if (level > 0) count(seen, level - 1, in_.offset());
        in_.advance();
        seen[level++] = 0;
        if (level == 1 && in_.take("...")) {
          literal_.elided = true;
          in_.expect('}');
          return;
        }
      } else if (c == '}') {
        if (level == 0) in_.fail("expected '{'");
        int64_t expected = shape_.dims[level - 1];
        if (seen[level - 1] != expected && expected != hlo::kUnboundedDim) {
          in_.fail("expected " + std::to_string(expected) + " elements in dim " +
                   std::to_string(level - 1) + ", found " + std::to_string(seen[level - 1]));
        }
        in_.advance();
        --level;
      } else if (c == ',' && level > 0) {
        in_.advance();
      } else {
        if (level != shape_.dims.size()) in_.fail("expected '{'");
        size_t begin = in_.offset();
        read_element();
        count(seen, level - 1, begin);
      }
    } while (level > 0);
  }

  void count(std::vector<int64_t>& seen, size_t level, size_t begin) {
    int64_t expected = shape_.dims[level];
    if (++seen[level] > expected && expected != hlo::kUnboundedDim) {
      in_.fail_at(begin, "expected at most " + std::to_string(expected) + " elements in dim " +
                             std::to_string(level));
    }
  }

  void read_element() {
    switch (shape_.type) {
      case ElementType::kPred:
        append(literal_.bytes, read_pred(), 1);
        return;
      case ElementType::kC64:
      case ElementType::kC128: {
        ElementType part = shape_.type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
        if (!in_.take('(')) {
          append(literal_.bytes, read_float(part), width_ / 2);
          append(literal_.bytes, 0, width_ / 2);
          return;
        }
        append(literal_.bytes, read_float(part), width_ / 2);
        in_.expect(',');
        append(literal_.bytes, read_float(part), width_ / 2);
        in_.expect(')');
        return;
      }
      default:
        append(literal_.bytes,
               hlo::is_float(shape_.type) ? read_float(shape_.type) : read_integer(), width_);
    }
  }

  uint64_t read_pred() {
    size_t begin = (in_.skip_space(), in_.offset());
    std::string_view text = in_.number_text();
    if (text == "true" || text == "1") return 1;
    if (text == "false" || text == "0") return 0;
    in_.fail_at(begin, "expected true, false, 0 or 1");
  }

  uint64_t read_integer() {
    size_t begin = (in_.skip_space(), in_.offset());
    std::string_view text = in_.number_text();
    const char* end = text.data() + text.size();
    bool negative = text.starts_with('-');
    uint64_t magnitude = 0;
    auto [stop, error] = std::from_chars(text.data() + negative, end, magnitude);
    if (error == std::errc::invalid_argument || stop != end)
      in_.fail_at(begin, "expected an integer");
    int bits = hlo::bit_width(shape_.type);
    bool is_signed = hlo::is_signed_integer(shape_.type);
    uint64_t most = std::numeric_limits<uint64_t>::max() >> (64 - bits) >> (is_signed ? 1 : 0);
    if (negative) most = is_signed ? most + 1 : 0;
    if (error != std::errc() || magnitude > most) {
      in_.fail_at(begin, "expected an integer that fits " + std::string(to_string(shape_.type)));
    }
    return negative ? 0 - magnitude : magnitude;
  }

  uint64_t read_float(ElementType type) {
    size_t begin = (in_.skip_space(), in_.offset());
    std::string_view text = in_.number_text();
    bool negative = text.starts_with('-');
    std::string_view digits = text.substr(negative);
    std::optional<uint64_t> bits;
    if (digits == "nan" && in_.here() == '(') {
      in_.advance();
      std::string_view payload = in_.number_text();
      uint64_t value = 0;
      if (!payload.starts_with("0x") && !payload.starts_with("0X")) {
        in_.fail_at(begin, "expected a NaN payload such as 0x1");
      }
      auto [stop, error] =
          std::from_chars(payload.data() + 2, payload.data() + payload.size(), value, 16);
      if (error != std::errc() || stop != payload.data() + payload.size()) {
        in_.fail_at(begin, "expected a NaN payload of at most 64 bits");
      }
      in_.expect(')');
      bits = nan_bits(value, negative, type);
    } else {
      bits = float_bits(parse_double(text, digits, negative, begin), type);
    }
    if (!bits) in_.fail_at(begin, "expected a number that fits " + std::string(to_string(type)));
    return *bits;
  }

  double parse_double(std::string_view text, std::string_view digits, bool negative, size_t begin) {
    double sign = negative ? -1.0 : 1.0;
    if (digits == "inf") return sign * std::numeric_limits<double>::infinity();
    if (digits == "nan") return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    if (digits.empty() || !(is_digit(digits[0]) || digits[0] == '.')) {
      in_.fail_at(begin, "expected a number");
    }
    double value = 0;
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (stop != text.data() + text.size()) in_.fail_at(begin, "expected a number");
    if (error == std::errc::result_out_of_range) {
      // Too small is zero, or the least value; too large is a fault.
      value = std::strtod(std::string(digits).c_str(), nullptr);
      if (std::isinf(value)) in_.fail_at(begin, "expected a number that fits 64 bits");
    }
    return sign * value;
  }

  Scanner& in_;
  const Shape& shape_;
  Literal& literal_;
  int width_;
};

// Tuples nest as their shape does, whose depth the shape reader has limited.
void read_into(Scanner& in, const Shape& shape, Literal& literal) {
  literal.shape = shape;
  if (shape.is_array()) {
    ArrayReader(in, shape, literal).read();
    return;
  }
  if (!shape.is_tuple()) in.fail("expected no literal, values of this type have none");
  in.expect('(');
  for (size_t i = 0; i < shape.parts->size(); ++i) {
    if (i > 0) in.expect(',');
    auto part = std::make_shared<Literal>();
    read_into(in, (*shape.parts)[i], *part);
    literal.parts.push_back(std::move(part));
  }
  in.expect(')');
}

}  // namespace

LiteralRef read_literal(Scanner& in, const Shape& shape) {
  auto literal = std::make_shared<Literal>();
  read_into(in, shape, *literal);
  return literal;
}

}  // namespace flipsat::frontends
