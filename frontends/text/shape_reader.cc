#include "frontends/text/shape_reader.h"

#include <algorithm>
#include <limits>

namespace flipsat::frontends {

using hlo::ElementType;
using hlo::Layout;
using hlo::Shape;

namespace {

constexpr int kMaxDepth = 500;
constexpr int kMaxRank = 64;

std::optional<ElementType> element_type(std::string_view word) {
  // The few that make up nearly all of a real module.
  if (word == "f32") return ElementType::kF32;
  if (word == "bf16") return ElementType::kBF16;
  if (word == "s32") return ElementType::kS32;
  if (word == "pred") return ElementType::kPred;
  std::optional<ElementType> type = hlo::element_type_from_string(word);
  if (type == ElementType::kTuple || type == ElementType::kBuffer) return std::nullopt;
  return type;
}

}  // namespace

bool ShapeReader::starts_shape() {
  char c = in_.peek();
  if (c == '(') return true;
  if (!is_word_start(c)) return false;
  size_t begin = in_.offset();
  std::string_view word = in_.word();
  char next = in_.peek();
  in_.seek(begin);
  return next == '[' || (next == '(' && word == "b");
}

Shape ShapeReader::read(int depth) {
  if (depth > kMaxDepth)
    in_.fail("expected at most " + std::to_string(kMaxDepth) + " nested shapes");
  if (in_.peek() == '(') return read_tuple(depth);
  size_t begin = in_.offset();
  std::string_view word = in_.expect_word("a shape");
  Shape shape;
  if (word == "b" && in_.peek() == '(') {
    in_.advance();
    shape.type = ElementType::kBuffer;
    shape.parts = std::make_shared<const std::vector<Shape>>(1, read(depth + 1));
    in_.expect(')');
    return shape;
  }
  std::optional<ElementType> type = element_type(word);
  if (!type)
    in_.fail_at(begin, "expected a shape, found '" + std::string(word.substr(0, 40)) + "'");
  shape.type = *type;
  if (!in_.take('[')) in_.fail("expected '[' after an element type");
  read_dims(shape);
  if (in_.here() == '{') {
    char next = in_.here(1);
    if (is_digit(next) || next == ':') {
      shape.layout = read_layout(shape.rank());
    } else if (next == ' ' || next == '/' || next == '\t' || next == '\n') {
      size_t brace = in_.offset();
      in_.advance();
      next = in_.peek();
      in_.seek(brace);
      if (is_digit(next) || next == ':') shape.layout = read_layout(shape.rank());
    }
  }
  return shape;
}

Shape ShapeReader::read_tuple(int depth) {
  in_.expect('(');
  std::vector<Shape> parts;
  if (!in_.take(')')) {
    do parts.push_back(read(depth + 1));
    while (in_.take(','));
    in_.expect(')');
  }
  return Shape::tuple(std::move(parts));
}

void ShapeReader::read_dims(Shape& shape) {
  if (in_.take(']')) return;
  size_t begin = in_.offset();
  int64_t elements = 1;
  do {
    if (shape.rank() == kMaxRank)
      in_.fail("expected at most " + std::to_string(kMaxRank) + " dims");
    bool dynamic = false;
    int64_t size = hlo::kUnboundedDim;
    if (in_.take('?')) {
      dynamic = true;
    } else {
      dynamic = in_.take("<=");
      size = in_.non_negative("a dim");
      if (__builtin_mul_overflow(elements, size, &elements)) {
        in_.fail_at(begin, "expected dims whose product fits 64 bits");
      }
    }
    if (dynamic) shape.dynamic |= uint64_t{1} << shape.rank();
    shape.dims.push_back(size);
  } while (in_.take(','));
  in_.expect(']');
  if (!shape.is_array()) in_.fail_at(begin, "expected no dims, this type has none");
}

std::shared_ptr<const Layout> ShapeReader::read_layout(int rank) {
  // A spelling that was read before is right for its rank, which is the number of its integers.
  size_t begin = in_.offset();
  size_t end = begin + 1;
  for (in_.advance(); in_.here() != '}' && in_.here() != '{' && in_.here() != '\0'; in_.advance()) {
    ++end;
  }
  std::string_view spelling = in_.text(begin, end);
  auto known = in_.here() == '}' ? layouts_.find(spelling) : layouts_.end();
  if (known != layouts_.end() &&
      known->second->minor_to_major.size() == static_cast<size_t>(rank)) {
    in_.advance();
    return known->second;
  }
  in_.seek(begin + 1);
  auto layout = std::make_shared<Layout>();
  if (in_.starts_integer()) {
    do layout->minor_to_major.push_back(in_.non_negative("a dim number"));
    while (in_.take(','));
  }
  std::vector<int64_t> sorted = layout->minor_to_major;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) {
      in_.fail_at(begin, "expected a layout that names every dim once");
    }
  }
  if (sorted.size() != static_cast<size_t>(rank)) {
    in_.fail_at(begin, "expected a layout of " + std::to_string(rank) + " dims, found " +
                           std::to_string(sorted.size()));
  }
  if (in_.take(':')) {
    in_.skip_space();
    size_t extras = in_.offset();
    read_extras(*layout);
    std::string_view text = in_.text(extras, in_.offset());
    layout->extras = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  }
  in_.expect('}');
  // Only what the quick look above would cut out again.
  if (in_.offset() == end + 1) layouts_[spelling] = layout;
  return layout;
}

void ShapeReader::read_int_list(std::string_view what) {
  in_.expect('(');
  do {
    if (!in_.take('*')) in_.non_negative(what);
  } while (in_.take(','));
  in_.expect(')');
}

void ShapeReader::read_extras(Layout& layout) {
  auto parenthesised_integer = [&](std::string_view what) {
    in_.expect('(');
    int64_t value = in_.non_negative(what);
    in_.expect(')');
    return value;
  };
  if (in_.take("D(")) {
    do {
      std::string_view level = in_.expect_word("a dim level type");
      if (level != "D" && level != "C" && level != "S" && level != "H") {
        in_.fail_at(in_.offset() - level.size(), "expected a dim level type");
      }
      while (in_.take('+') || in_.take('~')) continue;
    } while (in_.take(','));
    in_.expect(')');
  }
  if (in_.take('T')) {
    do read_int_list("a tile size");
    while (in_.peek() == '(');
  }
  if (in_.take('L')) parenthesised_integer("an alignment");
  for (char pointer : {'#', '*'}) {
    if (!in_.take(pointer)) continue;
    in_.expect('(');
    size_t begin = (in_.skip_space(), in_.offset());
    std::optional<ElementType> type = hlo::element_type_from_string(in_.expect_word("a type"));
    if (!type || !hlo::is_unsigned_integer(*type)) in_.fail_at(begin, "expected an unsigned type");
    in_.expect(')');
  }
  if (in_.take('E')) {
    size_t begin = in_.offset();
    int64_t bits = parenthesised_integer("a number of bits");
    if (bits > 128) in_.fail_at(begin, "expected at most 128 bits an element");
    layout.element_bits = static_cast<int>(bits);
  }
  if (in_.peek() == 'S' && in_.here(1) == '(') {
    in_.advance();
    layout.memory_space = parenthesised_integer("a memory space");
  }
  if (in_.take("SC")) {
    do {
      in_.expect('(');
      in_.non_negative("a dim number");
      in_.expect(':');
      do in_.non_negative("a split index");
      while (in_.take(','));
      in_.expect(')');
    } while (in_.peek() == '(');
  }
  if (in_.take('M')) parenthesised_integer("a number of bytes");
}

bool compatible(const Shape& a, const Shape& b) {
  if (a.type != b.type || a.dims.size() != b.dims.size()) return false;
  for (size_t i = 0; i < a.dims.size(); ++i) {
    if (a.dims[i] != b.dims[i] && a.dims[i] != hlo::kUnboundedDim &&
        b.dims[i] != hlo::kUnboundedDim) {
      return false;
    }
  }
  if (!a.parts || !b.parts) return !a.parts && !b.parts;
  return a.parts == b.parts ||
         std::equal(a.parts->begin(), a.parts->end(), b.parts->begin(), b.parts->end(), compatible);
}

}  // namespace flipsat::frontends
